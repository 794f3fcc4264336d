import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Sockets } from './sockets.ts';

/** How long the requests that are under way, and the participants whose sockets were closed, are waited for, ms. */
const REST_LIMIT_MS = 2_000;
const LOOK_EVERY_MS = 20;

/** How one of several processes stops serving, before it closes (PROC50). */
export interface Draining {
  /** Newcomers go to another process. */
  readonly isOn: boolean;
  /** Resolves when everybody is gone, or had the time to be. */
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
  // A connection that is kept alive would bring newcomers.
  http.addHook('onSend', async (_request, reply) => {
    if (isOn) reply.header('connection', 'close');
  });
  /** Another process that resumes a participant takes it away from this one. */
  const areGone = () => underWay === 0 && ![...sockets.participants.all()].some(({ isOver }) => !isOver);
  return {
    get isOn() {
      return isOn;
    },
    async begin() {
      isOn = true;
      // Without what http adds to it: that would cut connections on which a request may be on its way.
      TcpServer.prototype.close.call(http.server);
      await sockets.closeInTurn();
      const end = performance.now() + REST_LIMIT_MS;
      while (!areGone() && performance.now() < end) await sleep(LOOK_EVERY_MS);
    },
  };
}
