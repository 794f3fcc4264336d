import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Sockets } from '#src/sockets/sockets.ts';

/** How long to wait for requests under way, and for participants whose sockets were closed, ms. */
const REST_LIMIT_MS = 2_000;
const LOOK_EVERY_MS = 20;

/** How one of several processes stops serving, before it closes (PROC50). */
export interface Draining {
  /** True: newcomers are sent to another process. */
  readonly isOn: boolean;
  /** Resolves when everybody is gone, or the time for it is over. */
  begin(): Promise<void>;
}

export function createDraining(http: FastifyInstance, sockets: Sockets): Draining {
  let isOn = false;
  let underWay = 0;
  http.addHook('onRequest', async (_request, reply) => {
    underWay += 1;
    reply.raw.once('close', () => {
      underWay -= 1;
    });
  });
  // A kept-alive connection would bring newcomers.
  http.addHook('onSend', async (_request, reply) => {
    if (isOn) reply.header('connection', 'close');
  });
  /** True when all are gone: a process that resumes a participant takes it away from this one. */
  const areGone = () => underWay === 0 && ![...sockets.participants.all()].some(({ isOver }) => !isOver);
  return {
    get isOn() {
      return isOn;
    },
    async begin() {
      isOn = true;
      // Bypasses the HTTP server's own `close`, which would cut connections that may carry a request.
      TcpServer.prototype.close.call(http.server);
      await sockets.closeInTurn();
      const end = performance.now() + REST_LIMIT_MS;
      while (!areGone() && performance.now() < end) await sleep(LOOK_EVERY_MS);
    },
  };
}
