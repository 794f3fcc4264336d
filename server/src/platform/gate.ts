import { AppError } from '#src/shared/app-error.ts';
import { createFairQueue } from '#src/shared/fair-queue.ts';

/**
 * Limits concurrency. What comes beyond it waits: the owners take turns, and each one's own work keeps its order. When the
 * queue is full, whoever has less in it takes the place of the newest of the owner who has most: nobody fills it for others.
 */
export interface Gate {
  /**
   * @param owner whose turn it takes
   * @param signal leaves the queue when aborted; work that has begun goes on
   * @throws AppError too_many when the owner has too much waiting, unavailable when all together have; the signal's reason
   */
  run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** How much waits. */
  waiting(): number;
}

export interface GateLimits {
  atOnce: number;
  /** Of these for one owner; as many as there are by default. */
  atOnceOfOwner?: number;
  waiting: number;
  waitingOfOwner?: number;
  /** What a refused caller is told to wait. */
  retryAfterSeconds: number;
  /**
   * A steady clock, ms, for work of very different length. With it the owner goes first whose work took the least time lately and who
   * has the least waiting; without it the owners take turns.
   */
  now?: () => number;
}

/** After this long half of the time that an owner's work took is forgotten. */
const HALF_LIFE_MS = 60_000;
/** Less than this counts as none at all. */
const FORGOTTEN_MS = 1;
const WAITING_MS = 1_000;

interface Waiter {
  go(): void;
  refuse(): void;
}

export function createGate(limits: GateLimits): Gate {
  const { atOnce, waiting, retryAfterSeconds, now } = limits;
  const { atOnceOfOwner = atOnce, waitingOfOwner = waiting } = limits;
  const queue = createFairQueue<Waiter>();
  const running = new Map<string, number>();
  let runningInAll = 0;
  const recent = now === undefined ? undefined : createRecentUse(now);
  /** Work that waits counts as if it took a second. */
  const weightOf = recent && ((owner: string) => recent.msOf(owner) + queue.sizeOf(owner) * WAITING_MS);

  const runningOf = (owner: string) => running.get(owner) ?? 0;
  const hasRoom = (owner: string) => runningInAll < atOnce && runningOf(owner) < atOnceOfOwner;
  const begin = (owner: string) => {
    runningInAll += 1;
    running.set(owner, runningOf(owner) + 1);
  };
  const end = (owner: string) => {
    runningInAll -= 1;
    if (runningOf(owner) > 1) running.set(owner, runningOf(owner) - 1);
    else running.delete(owner);
    // Whoever is next begins here and now, so that no newcomer can take the place.
    queue.take(hasRoom, weightOf)?.go();
  };
  const turnOf = (owner: string, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        queue.remove(owner, waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        go() {
          signal?.removeEventListener('abort', leave);
          begin(owner);
          resolve();
        },
        refuse() {
          signal?.removeEventListener('abort', leave);
          reject(new AppError('unavailable', { retryAfterSeconds }));
        },
      };
      signal?.addEventListener('abort', leave, { once: true });
      queue.add(owner, waiter);
    });
  const makeRoomFor = (owner: string) => {
    const longest = queue.longestOwner();
    const isFair = longest === undefined || queue.sizeOf(longest) <= queue.sizeOf(owner) + 1;
    if (isFair) throw new AppError('unavailable', { retryAfterSeconds });
    queue.takeNewest(longest)?.refuse();
  };

  return {
    waiting: () => queue.size,
    async run(owner, work, signal) {
      signal?.throwIfAborted();
      if (hasRoom(owner)) {
        begin(owner);
      } else {
        if (queue.sizeOf(owner) >= waitingOfOwner) throw new AppError('too_many', { retryAfterSeconds });
        if (queue.size >= waiting) makeRoomFor(owner);
        await turnOf(owner, signal);
      }
      const stop = recent?.start(owner);
      try {
        return await work();
      } finally {
        stop?.();
        end(owner);
      }
    },
  };
}

/** How long each owner's work took lately. */
function createRecentUse(now: () => number) {
  const uses = new Map<string, { ms: number; at: number }>();
  const msOf = (owner: string): number => {
    const { ms, at } = uses.get(owner) ?? { ms: 0, at: 0 };
    return ms * 0.5 ** ((now() - at) / HALF_LIFE_MS);
  };
  return {
    msOf,
    /** @returns what to call when the work has ended */
    start(owner: string): () => void {
      const begunAt = now();
      return () => {
        const at = now();
        uses.set(owner, { ms: msOf(owner) + at - begunAt, at });
        for (const one of uses.keys()) if (msOf(one) < FORGOTTEN_MS) uses.delete(one);
      };
    },
  };
}
