import { CALL_MAX_BYTES } from '@pressel/contract/limits';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acceptJsonOnly } from './json-bodies.ts';

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
