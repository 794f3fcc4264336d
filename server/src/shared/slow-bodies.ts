import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { endTooSlow } from './client-errors.ts';

/** How slow a body may be. */
export interface BodyPace {
  /** Least rate, averaged over `patienceMs`. */
  bytesPerSecond: number;
  /** A body may also stall for this long, ms. */
  patienceMs: number;
  /** How often rates are looked at, ms. */
  checkMs: number;
}

/** A quarter of what a slow mobile link (GPRS) sends: 2 MB may take a quarter of an hour. */
const PACE: BodyPace = { bytesPerSecond: 2_000, patienceMs: 20_000, checkMs: 1_000 };

interface Body {
  response: ServerResponse;
  /** Nobody reads it while its sender is being authenticated: what does not arrive then is not the sender's fault. */
  isHeld: boolean;
  budget: Budget;
}

/** What is left of a sender's patience. */
export interface Budget {
  /** Counts time and bytes since the last call. @returns false when the sender was too slow */
  spend(bytesInAll: number, now: number): boolean;
  /** Forgets the time since the last call. */
  skip(bytesInAll: number, now: number): void;
}

/**
 * Time goes off the budget, bytes put it back at the least rate, never beyond where it began: so the rate holds over
 * every stretch of `patienceMs`, and a body of n bytes ends after patienceMs + n / bytesPerSecond at the latest.
 */
export function createBudget({ bytesPerSecond, patienceMs }: BodyPace, bytesInAll: number, now: number): Budget {
  let leftMs = patienceMs;
  let last = { bytesInAll, now };
  return {
    spend(bytes, time) {
      const earnedMs = ((bytes - last.bytesInAll) / bytesPerSecond) * 1_000;
      leftMs = Math.min(patienceMs, leftMs - (time - last.now) + earnedMs);
      last = { bytesInAll: bytes, now: time };
      return leftMs >= 0;
    },
    skip(bytes, time) {
      last = { bytesInAll: bytes, now: time };
    },
  };
}

/**
 * Ends requests whose body comes too slowly, with 408. Node's own `requestTimeout` bounds the whole request: large
 * bodies over slow links could never arrive. Covers polling of Socket.IO, and bodies that were refused unread.
 */
export function endSlowBodies(app: FastifyInstance, pace: BodyPace = PACE): void {
  const bodies = new Map<IncomingMessage, Body>();
  const watch = (request: IncomingMessage, response: ServerResponse): void => {
    const { headers, socket } = request;
    if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
    const budget = createBudget(pace, socket.bytesRead, performance.now());
    bodies.set(request, { response, isHeld: false, budget });
  };
  const check = (): void => {
    const now = performance.now();
    for (const [request, { response, isHeld, budget }] of bodies) {
      const { complete, socket } = request;
      if (complete || socket.destroyed) bodies.delete(request);
      else if (isHeld && !response.writableEnded) budget.skip(socket.bytesRead, now);
      else if (!budget.spend(socket.bytesRead, now)) {
        bodies.delete(request);
        endTooSlow(request, response);
      }
    }
  };
  const hold = (request: IncomingMessage, isHeld: boolean): void => {
    const body = bodies.get(request);
    if (body !== undefined) body.isHeld = isHeld;
  };
  app.addHook('onRequest', async ({ raw }) => hold(raw, true));
  app.addHook('preParsing', async ({ raw }) => hold(raw, false));
  let timer: NodeJS.Timeout | undefined;
  app.addHook('onReady', async () => {
    // Socket.IO answers its own requests: only a listener in front of its own sees them.
    app.server.prependListener('request', watch);
    timer = setInterval(check, pace.checkMs).unref();
  });
  app.addHook('onClose', async () => clearInterval(timer));
}
