import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import { CALL_MAX_BYTES } from '@pressel/contract/limits';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endTooSlow } from './http-errors.ts';

/**
 * Accepts JSON bodies only: an empty one means no fields, other content types are refused with 415. Large bodies are read
 * one after the other. Each takes one turn of the event loop for its text and one for its parsing, so a floor request
 * waits for one step only. Parsing 16 MB takes 5 to 45 ms, depending on its number of values.
 */
export function acceptJsonOnly(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  const parse = (request: FastifyRequest, text: string): Promise<unknown> =>
    new Promise((resolve, reject) =>
      parseJson(request, text, (error, value) => (error ? reject(error) : resolve(value))),
    );
  let large: Promise<unknown> = Promise.resolve();
  app.removeAllContentTypeParsers();
  // As a buffer: concatenating it once takes half the time of appending to a string.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return Promise.resolve({});
    if (body.length <= CALL_MAX_BYTES) return parse(request, body.toString());
    const parsed = large.then(async () => {
      await nextTurn();
      const text = body.toString();
      await nextTurn();
      return parse(request, text);
    });
    large = parsed.catch(() => undefined);
    return parsed;
  });
}

/** Limits of the rate at which a body must arrive. */
export interface BodyPace {
  /** Minimum rate, averaged over `patienceMs`. */
  bytesPerSecond: number;
  /** A body may also stall for this long, ms, before the rate applies. */
  patienceMs: number;
  /** Interval of checks, ms. */
  checkMs: number;
}

/** A quarter of a slow mobile link (GPRS): 2 MB may take a quarter of an hour. */
const PACE: BodyPace = { bytesPerSecond: 2_000, patienceMs: 20_000, checkMs: 1_000 };

interface Body {
  response: ServerResponse;
  /** True while the sender is being authenticated: the body isn't read then, so its rate doesn't count. */
  isHeld: boolean;
  budget: Budget;
}

/** The time budget of a body. */
interface Budget {
  /** Accounts for time and bytes since the last call. @returns false when the sender was too slow */
  spend(bytesInAll: number, now: number): boolean;
  /** Ignores the time since the last call. */
  skip(bytesInAll: number, now: number): void;
}

/**
 * A token bucket: elapsed time is subtracted, received bytes are added at the minimum rate, up to `patienceMs`. So the
 * rate holds over any `patienceMs`, and a body of n bytes takes at most patienceMs + n / bytesPerSecond.
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
 * Ends requests whose body arrives too slowly, with 408. Node's `requestTimeout` limits the whole request instead, so
 * that large bodies over slow links would never arrive. Also covers Socket.IO's polling and refused, unread bodies.
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
    // Prepended, because Socket.IO handles its requests without passing them on.
    app.server.prependListener('request', watch);
    timer = setInterval(check, pace.checkMs).unref();
  });
  app.addHook('onClose', async () => clearInterval(timer));
}

/** Minimum size, bytes: smaller replies fit into about one packet anyway. */
const THRESHOLD_BYTES = 1_024;

/**
 * Compresses replies of JSON and text. Built files are compressed at build time, and image formats are compressed already.
 * Compressed request bodies are refused: a few kilobytes could unpack to gigabytes.
 */
export async function compressReplies(app: FastifyInstance): Promise<void> {
  await app.register(compress, {
    globalDecompression: false,
    threshold: THRESHOLD_BYTES,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
}
