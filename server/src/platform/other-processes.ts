import { Server as TcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Relay } from '#src/processes/relay.ts';
import type { NewsClock } from '#src/sockets/news-clock.ts';
import { relayedEvent, SOCKETS_TOPIC, type Sockets } from '#src/sockets/sockets.ts';

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

export interface OtherProcessesDeps {
  relay: Relay;
  sockets: Pick<Sockets, 'sendBack'>;
  newsClock: NewsClock;
  log: FastifyBaseLogger;
}

/** Handles what the other processes announce about lists, and what this process missed. */
export interface OtherProcesses {
  /**
   * Called when this process missed something that others announced: its sockets may show wrong data. They are sent back, a few at a
   * time: their clients connect again, resume their participants and read everything anew.
   */
  missed(what: 'facts' | 'news'): void;
}

export function followOtherProcesses({ relay, sockets, newsClock, log }: OtherProcessesDeps): OtherProcesses {
  let isUnderWay = false;
  let isWanted = false;
  const sendBack = async (): Promise<void> => {
    if (isUnderWay) return;
    isUnderWay = true;
    while (isWanted) {
      isWanted = false;
      await sockets.sendBack();
    }
    isUnderWay = false;
  };

  relay.on(SOCKETS_TOPIC, relayedEvent, ({ packet: { data } }) => {
    if (data[0] === 'changed') newsClock.noteNews(null);
  });
  return {
    missed(what) {
      log.warn(`${what}_missed`);
      newsClock.noteNews(null);
      isWanted = true;
      sendBack().catch((error: unknown) => log.error({ err: error }, 'sending_back_failed'));
    },
  };
}
