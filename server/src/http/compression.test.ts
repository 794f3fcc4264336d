import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compressReplies } from './compression.ts';

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
