import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRealtime } from './realtime.ts';
import type { RawSocket } from './reconnector.ts';

/** The times after which TCP resends the beginning of a connection, ms. */
const SYN_AGAIN = [0, 1_000, 3_000, 7_000, 15_000, 31_000];
/** Round trips until a small request is answered, until a socket is connected, and until the room is entered. */
const TRIPS = { request: 3, socket: 5, join: 1 };
/** Chromium delays a socket by up to this after so many that failed in the last minutes, ms (websocket_throttler.cc). */
const throttleMs = (failed: number) => (5_000 * 2 ** Math.min(failed, 16)) / 65_536;
const COUNTED_MS = 6 * 60_000;

interface Way {
  roundTripMs: number;
  /** The time that the server takes to admit a socket, ms. */
  admissionMs?: number;
  /** Connections begun on the dead way are never answered, and their beginnings are not resent. */
  isOldDead?: boolean;
  /** The path opens for a moment before it opens for good: how long, and how long before, ms. */
  blink?: { ms: number; before: number };
  /** Sockets get no answer, but requests do: the server's fault. */
  isDeafToSockets?: boolean;
  /** Requests hang on an old connection for this long after the server can be reached, ms. */
  hungRequestsMs?: number;
}

/** A browser and its way to the server: alive until `lose`; then everything is dropped until `openAt`, ms. */
function createWorld(way: Way, random: () => number) {
  let openAt = 0;
  let lostAt = 0;
  const failedAt: number[] = [];
  /** Browsers connect one WebSocket at a time. */
  const queue: (() => void)[] = [];
  const made = { sockets: 0, most: 0, requests: 0, mostRequests: 0 };
  const live = new Map<string, (value: unknown) => void>();

  /** The time when an action begun now has made its round trips, ms from now; undefined: never. */
  const answeredIn = (trips: number): number | undefined => {
    const now = performance.now();
    const { blink = { ms: 0, before: 0 } } = way;
    const blinksAt = openAt - blink.before;
    const isDead = (at: number) => at >= lostAt && at < openAt && !(at >= blinksAt && at < blinksAt + blink.ms);
    const sent = (way.isOldDead ? [0] : SYN_AGAIN).find((later) => !isDead(now + later));
    if (sent === undefined) return undefined;
    const answered = sent + trips * way.roundTripMs;
    return isDead(now + answered) ? undefined : answered;
  };

  const open = () => {
    const handlers = new Map<string, (value: unknown) => void>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let state: 'waiting' | 'connecting' | 'connected' | 'over' = 'waiting';
    const goOn = () => {
      queue.shift();
      queue[0]?.();
    };
    const send = () => {
      if (state !== 'waiting') {
        goOn();
        return;
      }
      state = 'connecting';
      const answered = answeredIn(TRIPS.socket);
      if (answered === undefined || way.isDeafToSockets) return;
      timer = setTimeout(
        () => {
          goOn();
          state = 'connected';
          socket.connected = true;
          for (const [event, handler] of handlers) live.set(event, handler);
          handlers.get('connect')?.(undefined);
        },
        answered + (way.admissionMs ?? 0),
      );
    };
    const socket = {
      connected: false,
      on(event: string, handler: (value: unknown) => void) {
        handlers.set(event, handler);
        if (state === 'connected') live.set(event, handler);
      },
      connect() {
        made.sockets += 1;
        setTimeout(
          () => {
            queue.push(send);
            made.most = Math.max(made.most, queue.length);
            if (queue.length === 1) send();
          },
          throttleMs(failedAt.filter((at) => at > performance.now() - COUNTED_MS).length),
        );
      },
      disconnect() {
        clearTimeout(timer);
        const was = state;
        state = 'over';
        if (was === 'connecting' || was === 'waiting') failedAt.push(performance.now());
        if (was === 'connecting') goOn();
      },
    };
    return socket as unknown as RawSocket;
  };

  const reach = (signal: AbortSignal) =>
    new Promise<boolean>((resolve) => {
      made.requests += 1;
      made.mostRequests = Math.max(made.mostRequests, made.requests);
      let isOver = false;
      const end = (isOpen: boolean) => {
        if (isOver) return;
        isOver = true;
        made.requests -= 1;
        clearTimeout(timer);
        resolve(isOpen);
      };
      const isHung = lostAt > 0 && performance.now() < openAt + (way.hungRequestsMs ?? 0);
      const answered = isHung ? undefined : answeredIn(TRIPS.request);
      const timer = answered === undefined ? undefined : setTimeout(() => end(true), answered);
      signal.addEventListener('abort', () => end(false), { once: true });
    });

  const realtime = createRealtime({ token: () => 'token', open, reach, random });
  let upAt = 0;
  realtime.onLink((link) => {
    if (link === 'up') upAt = performance.now();
  });
  return {
    realtime,
    made,
    upAt: () => upAt,
    /**
     * Keeps the path dead for `ms`. Resolves with the time after it until the room is entered again, ms; gives up after
     * `limit`.
     */
    async lose(ms: number, limit: number): Promise<number> {
      lostAt = performance.now();
      openAt = lostAt + ms;
      made.sockets = 0;
      live.get('disconnect')?.('ping timeout');
      await vi.advanceTimersByTimeAsync(ms + limit);
      realtime.close();
      await vi.advanceTimersByTimeAsync(0);
      return upAt < lostAt ? Number.POSITIVE_INFINITY : upAt + TRIPS.join * way.roundTripMs - openAt;
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Each tenth of the first ten seconds, then some moments of a long outage. */
const MOMENTS = [
  ...Array.from({ length: 100 }, (_, step) => step * 100),
  15_350,
  17_450,
  31_150,
  47_900,
  120_250,
  330_000,
  601_010,
];
const LUCKS = [0, 0.5, 0.999];

/** Returns the longest time to be back, over all moments at which the way may open, ms. */
async function longest(
  way: Way,
  isListening: boolean,
  limit: number,
  look?: (world: ReturnType<typeof createWorld>) => void,
) {
  let longestMs = 0;
  for (const luck of LUCKS) {
    for (const moment of MOMENTS) {
      const world = createWorld(way, () => luck);
      if (isListening) world.realtime.listen();
      await vi.advanceTimersByTimeAsync(30_000);
      longestMs = Math.max(longestMs, await world.lose(moment, limit));
      look?.(world);
    }
  }
  return longestMs;
}

describe('[TALK73] who listens in a room is back 1.5 s after the way is open, whenever that is', () => {
  test.each<[string, Way]>([
    ['what begins a connection is dropped, and sent again after 1, 3 and 7 s', { roundTripMs: 60 }],
    ['connections that were begun before are never answered', { roundTripMs: 60, isOldDead: true }],
    ['the way is as quick as in a house', { roundTripMs: 2 }],
    ['it opened for a moment before', { roundTripMs: 60, blink: { ms: 250, before: 1_700 } }],
    [
      'it opened for a moment before, and what was begun then is lost',
      { roundTripMs: 60, isOldDead: true, blink: { ms: 250, before: 1_700 } },
    ],
  ])('%s', async (_name, way) => {
    expect(await longest(way, true, 12_000)).toBeLessThanOrEqual(1_500);
  });
});

test.each<[string, Way]>([
  ['way', { roundTripMs: 600 }],
  ['server', { roundTripMs: 60, admissionMs: 3_000 }],
])('[TALK74] a slow %s gets through too: 3 s and more are waited for', async (_name, way) => {
  expect(await longest(way, true, 30_000)).toBeLessThanOrEqual(18_000);
});

test('[TALK73] elsewhere a few seconds', async () => {
  expect(await longest({ roundTripMs: 60 }, false, 12_000)).toBeLessThanOrEqual(5_000);
});

test('[TALK74] a dead way costs few sockets, one at a time, and two requests', async () => {
  await longest({ roundTripMs: 60 }, true, 12_000, ({ made }) => {
    expect(made.most).toBeLessThanOrEqual(1);
    expect(made.mostRequests).toBeLessThanOrEqual(2);
  });
  const world = createWorld({ roundTripMs: 60 }, () => 0);
  world.realtime.listen();
  await vi.advanceTimersByTimeAsync(30_000);
  await world.lose(COUNTED_MS, 0);
  expect(world.made.sockets, 'more would make the browser slow them all').toBeLessThanOrEqual(13);
});

test('[TALK74] where looks hang on a dead connection, attempts of an outage’s first minute get through without', async () => {
  for (const luck of LUCKS) {
    for (const moment of [4_000, 7_500, 12_000, 21_300, 40_000]) {
      const world = createWorld({ roundTripMs: 60, hungRequestsMs: 30_000 }, () => luck);
      world.realtime.listen();
      await vi.advanceTimersByTimeAsync(30_000);
      expect(await world.lose(moment, 40_000)).toBeLessThanOrEqual(9_000);
    }
  }
});

test.each<[string, Way]>([
  ['way', { roundTripMs: 500 }],
  ['server', { roundTripMs: 60, admissionMs: 1_500 }],
])('[TALK74] the page’s first attempt has time: a slow %s costs no second one', async (_name, way) => {
  const world = createWorld(way, () => 0.5);
  const begunAt = performance.now();
  world.realtime.listen();
  await vi.advanceTimersByTimeAsync(12_000);
  expect(world.made.sockets).toBe(1);
  expect(world.upAt() - begunAt).toBeLessThan(2_700);
  world.realtime.close();
});

test('[TALK73] no timer of a hidden page is set five deep from within timers, where browsers run them once a minute', async () => {
  vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  const setTimer = globalThis.setTimeout;
  let depth = 0;
  let deepest = 0;
  let closed = 0;
  const at = (level: number, run: () => void) => {
    const outer = depth;
    depth = level;
    run();
    depth = outer;
  };
  vi.stubGlobal('setTimeout', (run: () => void, ms?: number) => {
    const level = depth + 1;
    deepest = Math.max(deepest, level);
    return setTimer(() => at(level, run), ms);
  });
  let opened = 0;
  class Channel {
    port1 = { onmessage: () => {}, close: () => (closed += 1) };
    port2 = { postMessage: () => queueMicrotask(() => at(0, this.port1.onmessage)) };
    constructor() {
      opened += 1;
    }
  }
  vi.stubGlobal('MessageChannel', Channel);
  const world = createWorld({ roundTripMs: 60 }, () => 0.5);
  world.realtime.listen();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await world.lose(60_000, 12_000)).toBeLessThanOrEqual(1_500);
  expect(deepest).toBeLessThan(5);
  expect(closed).toBe(opened);
  expect(opened).toBeGreaterThan(60);
});

test('[TALK74] a server that answers requests but no sockets is asked less and less often', async () => {
  const way: Way = { roundTripMs: 60 };
  const world = createWorld(way, () => 0);
  world.realtime.listen();
  await vi.advanceTimersByTimeAsync(1_000);
  way.isDeafToSockets = true;
  await world.lose(0, 60_000);
  expect(world.made.sockets).toBeGreaterThan(5);
  expect(world.made.sockets).toBeLessThanOrEqual(12);
});

test('[TALK73] who enters a room without a link is in a hurry from then on', async () => {
  for (let entersAt = 8_000; entersAt < 13_000; entersAt += 250) {
    const world = createWorld({ roundTripMs: 60 }, () => 0.999);
    await vi.advanceTimersByTimeAsync(30_000);
    const back = world.lose(entersAt + 500, 12_000);
    setTimeout(() => world.realtime.listen(), entersAt);
    expect(await back).toBeLessThanOrEqual(1_500);
  }
});
