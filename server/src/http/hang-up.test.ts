import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineCall } from '@pressel/contract/call';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { NO_METRICS } from '#src/logs/metrics.ts';
import { createBudget } from './budget.ts';
import { createCallServer } from './call-server.ts';
import { handleErrors } from './http-errors.ts';

const call = defineCall({
  ...{ method: 'POST', path: '/call', access: 'public', summary: '', errors: [] },
  body: () => z.object({ text: z.string() }),
  reply: () => z.object({ isAborted: z.boolean() }),
});

let app: FastifyInstance;
let begun: PromiseWithResolvers<AbortSignal>;
let answer: PromiseWithResolvers<void>;
beforeEach(async () => {
  app = Fastify();
  handleErrors(app, { contract: 'c1', metrics: NO_METRICS });
  begun = Promise.withResolvers();
  answer = Promise.withResolvers();
  const nobody = async () => null;
  const serve = createCallServer(app, {
    ...{ authenticate: nobody, authenticateGuest: nobody },
    refusals: { note: () => undefined },
    budget: createBudget(() => 0),
    metrics: NO_METRICS,
    gates: {},
  });
  serve(call, async (_body, { signal }) => {
    begun.resolve(signal);
    await answer.promise;
    return { isAborted: signal.aborted };
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => app.close());

const send = () => {
  const { port } = app.server.address() as AddressInfo;
  const headers = { 'content-type': 'application/json' };
  return request({ host: '127.0.0.1', port, path: call.path, method: 'POST', headers }).end('{"text":"x"}');
};

test('a handler is told when its caller hangs up', async () => {
  const sending = send().on('error', () => undefined);
  const signal = await begun.promise;
  expect(signal.aborted).toBe(false);
  sending.destroy();
  await once(signal, 'abort');
  expect(signal.reason).toMatchObject({ code: 'unavailable' });
  answer.resolve();
});

test('and is not told so when the request has come to its end, which some take for that', async () => {
  const sending = send();
  await begun.promise;
  answer.resolve();
  const [response]: IncomingMessage[] = await once(sending, 'response');
  expect(JSON.parse(String(await response?.setEncoding('utf8').toArray()))).toEqual({ isAborted: false });
});
