import { type AddressInfo, connect } from 'node:net';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { expect, test } from 'vitest';
import { handleErrors } from './http-errors.ts';
import { createLog } from './log.ts';
import { NO_METRICS } from './metrics.ts';

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
