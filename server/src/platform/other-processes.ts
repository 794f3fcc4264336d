import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Relay } from '#src/processes/relay.ts';
import type { NewsClock } from '#src/sockets/news-clock.ts';
import { relayedEvent, SOCKETS_TOPIC, type Sockets } from '#src/sockets/sockets.ts';

/** How long to wait for requests under way, and for participants whose sockets were closed, ms. */
const REST_LIMIT_MS = 2_000;
const LOOK_EVERY_MS = 20;
/** How long the first request of a new connection may take to come, ms. Browsers also open connections without one. */
const FIRST_REQUEST_MS = 1_000;
/** How long new connections can keep the port open, ms. */
const NEWCOMERS_MS = 1_000;
/** A longer turn of the event loop leaves time for somebody to connect after it looked for newcomers, ms. */
const SHORT_TURN_MS = 1;

/** How one of several processes stops serving, before it closes (PROC50). */
export interface Draining {
  /** True: newcomers are sent to another process. */
  readonly isOn: boolean;
  /** Resolves when everybody is gone, or the time for it is over. */
  begin(): Promise<void>;
}

export interface DrainingDeps {
  /** Tells the other processes that this one ends. @returns whether one of them stays */
  sayEnding(): Promise<boolean>;
  /** Waits so many ms. */
  pause?: (ms: number) => Promise<unknown>;
  /** A monotonic clock, ms. */
  now?: () => number;
}

export function createDraining(
  http: FastifyInstance,
  sockets: Pick<Sockets, 'closeInTurn' | 'participants'>,
  { sayEnding, pause = sleep, now = () => performance.now() }: DrainingDeps,
): Draining {
  let isOn = false;
  const requests = followRequests(http.server, now);
  // A kept-alive connection would bring newcomers.
  http.addHook('onSend', async (_request, reply) => {
    if (isOn) reply.header('connection', 'close');
  });
  /** True when all are gone: a process that resumes a participant takes it away from this one. */
  const areGone = () => !requests.areExpected() && ![...sockets.participants.all()].some(({ isOver }) => !isOver);
  return {
    get isOn() {
      return isOn;
    },
    async begin() {
      isOn = true;
      await stopListening(http.server, now);
      await sockets.closeInTurn(sayEnding);
      const end = now() + REST_LIMIT_MS;
      while (!areGone() && now() < end) await pause(LOOK_EVERY_MS);
    },
  };
}

/**
 * Stops accepting connections, and keeps those that are there. The system accepts connections before Node does, which takes one in each
 * turn of the event loop. If the port was closed, the system would reset the others. So this waits for a short turn in which nobody came.
 */
async function stopListening(server: Server, now: () => number): Promise<void> {
  let newcomers = 0;
  const count = () => {
    newcomers += 1;
  };
  server.on('connection', count);
  // The event loop looks for newcomers where it also hears signals. So the rest of this turn says nothing.
  await nextTurn();
  const end = now() + NEWCOMERS_MS;
  for (let isQuiet = false; !isQuiet && now() < end; ) {
    const [before, begunAt] = [newcomers, now()];
    await nextTurn();
    isQuiet = newcomers === before && now() - begunAt < SHORT_TURN_MS;
  }
  server.off('connection', count);
  // Bypasses the HTTP server's own `close`, which would cut connections that may carry a request.
  TcpServer.prototype.close.call(server);
}

/** Follows requests from the moment that their connection is there, also while they wait to be let in. */
function followRequests(server: Server, now: () => number): { areExpected(): boolean } {
  let underWay = 0;
  /** Since when connections are there that have brought no request yet. */
  const silent = new Map<string, number>();
  // With TLS a request has another socket than the one that was accepted, but the same address.
  const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    silent.set(key, now());
    socket.once('close', () => silent.delete(key));
  });
  server.on('upgrade', ({ socket }: IncomingMessage) => silent.delete(keyOf(socket)));
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    silent.delete(keyOf(socket));
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
    });
  });
  return {
    areExpected: () => underWay > 0 || [...silent.values()].some((since) => now() - since < FIRST_REQUEST_MS),
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
