import { once } from 'node:events';
import type { Server } from 'node:https';
import { type AddressInfo, connect, createServer } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answerClientError } from '#src/http/http-errors.ts';
import { createOnePort } from './one-port.ts';
import { makeSelfSigned } from './self-signed.ts';

const SHORT_VISIT_MS = 20_000;

let server: Server;
let taken: PromiseWithResolvers<string>;
beforeEach(async () => {
  taken = Promise.withResolvers();
  const { cert, key } = await makeSelfSigned(['localhost'], new Date());
  server = createOnePort(() => undefined, {
    ...{ http: {}, cert, key },
    answerPlain: () => taken.resolve('plain http'),
    onAcmeCheck: () => taken.resolve('a check'),
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  vi.useRealTimers();
  server.close();
  await once(server, 'close');
});

const ACME_GREETING = Buffer.concat([Buffer.from([0x16, 3, 1, 0, 11]), Buffer.from('\x0aacme-tls/1')]);

test.each([
  ['plain http', 'POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n'],
  ['a check', ACME_GREETING],
])('TLS4: %s that never gets to its end is ended after 20 s', async (kind, greeting) => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const closed = once(socket, 'close');
  socket.write(greeting);
  expect(await taken.promise).toBe(kind);
  await vi.advanceTimersByTimeAsync(SHORT_VISIT_MS - 1);
  expect(socket.closed).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await closed;
});

test('TLS4: a handshake that fails is not answered over a connection that would need it', async () => {
  const { cert, key } = await makeSelfSigned(['localhost'], new Date());
  const context = { isServer: true, secureContext: createSecureContext({ cert, key }) };
  server.on('clientError', answerClientError);
  const failing = createServer((socket) => {
    server.emit('tlsClientError', new Error('Handshake timeout'), new TLSSocket(socket, context));
  }).listen(0, '127.0.0.1');
  await once(failing, 'listening');
  const socket = connect((failing.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'close');
  failing.close();
});
