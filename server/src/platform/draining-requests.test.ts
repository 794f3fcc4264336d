import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitUntil } from '#test/wait-until.ts';
import { createDraining, type Draining } from './other-processes.ts';

/** Sockets of a process that nobody is connected to. */
const nobody = { closeInTurn: async () => undefined, participants: { all: () => [] } };

describe('[PROC107] a process that ends answers each request whose connection it accepted', () => {
  let http: FastifyInstance;
  let draining: Draining;
  /** How often it looked whether everybody is gone. */
  let looks: number;
  beforeEach(async () => {
    looks = 0;
    http = Fastify({ forceCloseConnections: true });
    const pause = async () => {
      looks += 1;
      await nextTurn();
    };
    // The clock stands still: every turn is short, and every limit far away.
    draining = createDraining(http, nobody as never, { sayEnding: async () => true, pause, now: () => 0 });
    http.get('/', async () => 'answered');
    await http.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => http.close());

  const end = () => draining.begin().then(() => http.close());

  async function open(): Promise<Socket> {
    const socket = connect((http.server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }
  async function ask(socket: Socket): Promise<string> {
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk));
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await once(socket, 'end');
    return answer;
  }

  test('also if the system had accepted it, and the process had not', async () => {
    const sockets = await Promise.all(Array.from({ length: 30 }, open));
    // Like a signal, this comes when the turn has already looked for newcomers.
    const ended = end();
    for (const answer of await Promise.all(sockets.map(ask))) expect(answer).toMatch(/^HTTP\/1.1 200 .*answered$/su);
    await ended;
  });

  test('also if the request is on its way', async () => {
    const accepted = once(http.server, 'connection');
    const socket = await open();
    await accepted;
    let hasEnded = false;
    const ended = end().then(() => {
      hasEnded = true;
    });
    await waitUntil(() => looks > 50 || hasEnded);
    expect(hasEnded).toBe(false);
    expect(await ask(socket)).toMatch(/^HTTP\/1.1 200 .*answered$/su);
    await ended;
  });

  test('also if the request waits to be let in', async () => {
    // As the turnstile does, which comes before the framework.
    const serve = http.server.listeners('request')[0] as (...all: unknown[]) => void;
    http.server.off('request', serve);
    const letIn = Promise.withResolvers<void>();
    http.server.on('request', (...all: unknown[]) => void letIn.promise.then(() => serve(...all)));
    const answer = ask(await open());
    await once(http.server, 'request');
    let hasEnded = false;
    const ended = end().then(() => {
      hasEnded = true;
    });
    await waitUntil(() => looks > 50 || hasEnded);
    letIn.resolve();
    expect(await answer).toMatch(/^HTTP\/1.1 200 .*answered$/su);
    await ended;
  });
});
