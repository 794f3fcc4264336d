import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { failure } from '@pressel/contract/errors';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { answerClientError } from './client-errors.ts';
import { type BodyPace, createBudget, endSlowBodies } from './slow-bodies.ts';

describe('the budget of a body', () => {
  const pace: BodyPace = { bytesPerSecond: 2_000, patienceMs: 20_000, checkMs: 1_000 };
  /** @returns the second in which the request is ended; null when all of the body arrives */
  const endOf = (bytes: number, bytesAt: (second: number) => number): number | null => {
    const budget = createBudget(pace, 0, 0);
    for (let second = 1; ; second += 1) {
      const arrived = bytesAt(second);
      if (arrived >= bytes) return null;
      if (!budget.spend(arrived, second * 1_000)) return second;
    }
  };

  test.each([
    ['an import of 1.9 MB over 500 kbit/s', 1_900_000, (s: number) => s * 62_500, null],
    ['a photo at 40 kB/s', 130_000, (s: number) => s * 40_000, null],
    ['a photo that stalls for 19 s in its middle', 130_000, (s: number) => (s < 20 ? 60_000 : s * 40_000), null],
    ['a body of one byte a second', 16_384, (s: number) => s, 21],
    ['one that stalls for good after its half', 130_000, () => 60_000, 22],
    ['one below the least rate', 1_000_000, (s: number) => s * 1_500, 81],
  ])('%s', (_what, bytes, bytesAt, end) => expect(endOf(bytes, bytesAt)).toBe(end));

  test('time in which the body is not read does not count', () => {
    const budget = createBudget(pace, 0, 0);
    budget.skip(0, 60_000);
    expect([budget.spend(0, 80_000), budget.spend(0, 80_001)]).toEqual([true, false]);
  });
});

describe('a request that does not come to its end', () => {
  let app: FastifyInstance;
  afterEach(() => app.close());
  const serve = async (pace: Partial<BodyPace> = {}) => {
    app = Fastify({
      clientErrorHandler: answerClientError,
      http: { headersTimeout: 200, connectionsCheckingInterval: 50 },
    });
    endSlowBodies(app, { bytesPerSecond: 1_000_000, patienceMs: 200, checkMs: 50, ...pace });
    app.post('/', async ({ body }) => ({ body }));
    app.post('/refused', { onRequest: async (_request, reply) => reply.code(401).send({}) }, async () => ({}));
    await app.listen({ host: '127.0.0.1', port: 0 });
  };
  /** Sends `text` and waits for the end of the connection. */
  const send = async (text: string): Promise<{ status: number; code: string | undefined }> => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data) => {
      answer += String(data);
    });
    socket.on('error', () => undefined);
    socket.write(text);
    await once(socket, 'close');
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    const refused = failure.safeParse(JSON.parse(body === '' ? '{}' : body));
    return { status: Number(head.split(' ')[1]), code: refused.data?.code };
  };
  const post = (path: string) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"a":`;

  test('its body stalls', async () => {
    await serve();
    expect(await send(post('/'))).toEqual({ status: 408, code: 'too_slow' });
  });

  test('its body stalls after it was refused unread', async () => {
    await serve();
    expect(await send(post('/refused'))).toMatchObject({ status: 401 });
  });

  test('its headers stall', async () => {
    await serve();
    expect(await send('POST / HTTP/1.1\r\nhost: x\r\n')).toEqual({ status: 408, code: 'too_slow' });
  });

  test('its headers are too many', async () => {
    await serve();
    expect(await send(`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)).toEqual({
      status: 431,
      code: 'too_large',
    });
  });

  test('it is no HTTP at all', async () => {
    await serve();
    expect(await send('nonsense\r\n\r\n')).toEqual({ status: 400, code: 'malformed' });
  });
});
