import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { expect, test } from 'vitest';
import { createLog } from '#src/logs/log.ts';
import { NO_METRICS } from '#src/logs/metrics.ts';
import { handleErrors } from './http-errors.ts';

test('who goes away while an answer is made is no fault of the server', async () => {
  const told = Promise.withResolvers<string>();
  const write = (line: string) => void (/asker_gone|call_failed/u.test(line) && told.resolve(line));
  const log: FastifyBaseLogger = createLog('debug', { write });
  const app = Fastify({ loggerInstance: log });
  handleErrors(app, { contract: 'contract', metrics: NO_METRICS });
  app.get('/', async ({ raw }) => {
    raw.socket.destroy();
    // The error of a compressor whose reader has gone.
    throw Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => undefined);
  client.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  expect(JSON.parse(await told.promise)).toMatchObject({ msg: 'asker_gone', level: 20 });
  client.destroy();
  await app.close();
});

const BODY = Buffer.alloc(8_000_000, 'x');
test.each([
  ['a body of known length', [`content-length: ${BODY.length}\r\n\r\n`, BODY]],
  [
    'a body in chunks',
    ['transfer-encoding: chunked\r\n\r\n', `${BODY.length.toString(16)}\r\n`, BODY, '\r\n0\r\n\r\n'],
  ],
])(
  '[BUDGET10] who sends %s to its end before they listen gets the answer that it is too large',
  async (_what, parts) => {
    const app = Fastify({ bodyLimit: 1_000 });
    handleErrors(app, { contract: 'contract', metrics: NO_METRICS });
    app.post('/', async () => ({}));
    await app.listen({ port: 0, host: '127.0.0.1' });
    const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    client.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n');
    for (const part of parts) client.write(part);
    await once(client, 'drain');
    const [answer] = await once(client, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 .*"code":"too_large"/su);
    client.destroy();
    await app.close();
  },
);
