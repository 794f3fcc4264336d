import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { failure } from '@pressel/contract/errors';
import { CALL_MAX_BYTES } from '@pressel/contract/limits';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { acceptJsonOnly, type BodyPace, compressReplies, createBudget, endSlowBodies } from './bodies.ts';
import { answerClientError } from './http-errors.ts';

describe('bodies of JSON', () => {
  let app: FastifyInstance;
  beforeEach(() => {
    app = Fastify({ bodyLimit: CALL_MAX_BYTES * 4 });
    acceptJsonOnly(app);
  });
  afterEach(() => app.close());

  const post = (payload: string, type = 'application/json') =>
    app.inject({ method: 'POST', url: '/', headers: { 'content-type': type }, payload });

  test('large bodies that arrive together are parsed one in each turn of the event loop', async () => {
    let turn = 0;
    const next = (): void => {
      turn += 1;
      turns = setImmediate(next);
    };
    let turns = setImmediate(next);
    const parsedIn: number[] = [];
    app.post('/', () => {
      parsedIn.push(turn);
      return {};
    });
    await app.ready();
    await Promise.all(Array.from({ length: 16 }, () => post(JSON.stringify({ text: 'x'.repeat(CALL_MAX_BYTES) }))));
    clearImmediate(turns);
    expect(new Set(parsedIn).size).toBe(16);
  });

  test('empty bodies, invalid JSON and other content types', async () => {
    app.post('/', ({ body }) => ({ body }));
    expect((await post('')).json()).toEqual({ body: {} });
    for (const broken of ['{', '{"a":"\u0000', '{"__proto__":{}}', `"${'x'.repeat(CALL_MAX_BYTES)}`]) {
      expect([broken.slice(0, 20), (await post(broken)).statusCode]).toEqual([broken.slice(0, 20), 400]);
    }
    expect((await post('a=1', 'application/x-www-form-urlencoded')).statusCode).toBe(415);
  });
});

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

describe('the compression of replies', () => {
  const LONG = { res: Array.from({ length: 100 }, (_, index) => ({ index, name: 'Camille' })) };
  const ROWS = 'Camille;Nord\r\n'.repeat(500);

  let app: FastifyInstance;
  beforeEach(async () => {
    app = Fastify();
    await compressReplies(app);
    app.get('/long', () => LONG);
    app.get('/short', () => ({ res: 'x'.repeat(500) }));
    app.get('/image', (_request, reply) => reply.type('image/webp').send(Buffer.alloc(5_000)));
    app.get('/rows', (_request, reply) => reply.type('text/csv').send(ROWS));
    app.get('/twin', (_request, reply) =>
      reply.type('application/json').header('content-encoding', 'br').send(Buffer.alloc(5_000)),
    );
    app.post('/', ({ body }) => ({ body }));
  });
  afterEach(() => app.close());

  const get = (url: string, encoding?: string) =>
    app.inject({ url, headers: encoding === undefined ? {} : { 'accept-encoding': encoding } });

  test.each([
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
  ] as const)('a long reply for %s comes as %s', async (accepted, encoding, open) => {
    const { headers, rawPayload } = await get('/long', accepted);
    expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'accept-encoding']);
    expect(JSON.parse(String(open(rawPayload)))).toEqual(LONG);
  });

  test.each([
    ['a long one for who takes nothing else', '/long', undefined],
    ['a short one', '/short', 'br'],
    ['an image', '/image', 'br'],
  ])('%s comes as it is', async (_what, url, accepted) => {
    expect((await get(url, accepted)).headers['content-encoding']).toBeUndefined();
  });

  test('a text that is no JSON is compressed too', async () => {
    expect(String(brotliDecompressSync((await get('/rows', 'br')).rawPayload))).toBe(ROWS);
  });

  test('what is compressed already is not compressed again', async () => {
    expect((await get('/twin', 'br')).rawPayload).toHaveLength(5_000);
  });

  test('a compressed request is not opened', async () => {
    const payload = gzipSync(JSON.stringify({ a: 'x'.repeat(100_000) }));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await app.inject({ method: 'POST', url: '/', headers, payload })).statusCode).toBe(400);
  });
});
