import { AppError } from '#src/shared/app-error.ts';

/** Waiting entries, each of an owner. Owners take turns; an owner's own entries keep their order. */
interface FairQueue<Entry> {
  readonly size: number;
  /** How many entries of this owner wait. */
  sizeOf(owner: string): number;
  add(owner: string, entry: Entry): void;
  /** Removes an entry that no longer waits. @returns false when it was already taken out */
  remove(owner: string, entry: Entry): boolean;
  /**
   * Takes out the first entry of the next owner who may go.
   * @param weightOf owners with lower weights go first; by default all take turns
   */
  take(mayGo?: (owner: string, first: Entry) => boolean, weightOf?: (owner: string) => number): Entry | undefined;
  /** The owner with the most entries; undefined when the queue is empty. */
  longestOwner(): string | undefined;
  /** Takes out the newest entry of this owner. */
  takeNewest(owner: string): Entry | undefined;
}

export function createFairQueue<Entry>(): FairQueue<Entry> {
  /** Owners in the order of their turns. A set keeps the order of arrival, and removes entries from its middle quickly. */
  const waiting = new Map<string, Set<Entry>>();
  let size = 0;
  const remove = (owner: string, entry: Entry): boolean => {
    const own = waiting.get(owner);
    if (own === undefined || !own.delete(entry)) return false;
    size -= 1;
    if (own.size === 0) waiting.delete(owner);
    return true;
  };
  return {
    get size() {
      return size;
    },
    sizeOf: (owner) => waiting.get(owner)?.size ?? 0,
    add(owner, entry) {
      const own = waiting.get(owner);
      if (own === undefined) waiting.set(owner, new Set([entry]));
      else own.add(entry);
      size += 1;
    },
    remove,
    take(mayGo = () => true, weightOf = () => 0) {
      let next: { owner: string; own: Set<Entry>; first: Entry; weight: number } | undefined;
      for (const [owner, own] of waiting) {
        const [first] = own;
        if (first === undefined || !mayGo(owner, first)) continue;
        const weight = weightOf(owner);
        if (next === undefined || weight < next.weight) next = { owner, own, first, weight };
        // No weight can be less.
        if (weight === 0) break;
      }
      if (next === undefined) return undefined;
      const { owner, own, first } = next;
      remove(owner, first);
      // The owner's next turn comes after everybody else's.
      if (waiting.delete(owner)) waiting.set(owner, own);
      return first;
    },
    longestOwner() {
      let longest: string | undefined;
      for (const [owner, own] of waiting) {
        if (own.size > (waiting.get(longest ?? '')?.size ?? 0)) longest = owner;
      }
      return longest;
    },
    takeNewest(owner) {
      const newest = [...(waiting.get(owner) ?? [])].at(-1);
      if (newest !== undefined) remove(owner, newest);
      return newest;
    },
  };
}

/**
 * Limits concurrency. Work beyond the limit waits: owners take turns, and each owner's work keeps its order. When the queue
 * is full, newcomers with little in it replace the newest work of the owner with the most: no owner can fill it for others.
 */
export interface Gate {
  /**
   * @param owner takes turns with the other owners
   * @param signal leaves the queue when aborted; work that has begun goes on
   * @throws AppError too_many when the owner has too much waiting, unavailable when all together have; the signal's reason
   */
  run<T>(owner: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** How much work waits. */
  waiting(): number;
}

export interface GateLimits {
  atOnce: number;
  /** How many of these one owner may use; all by default. */
  atOnceOfOwner?: number;
  waiting: number;
  waitingOfOwner?: number;
  /** The wait that a refused caller is told. */
  retryAfterSeconds: number;
  /**
   * A steady clock, ms, for work of very different length. With it the next owner is the one with the least recent work time and the
   * least waiting; without it owners take turns.
   */
  now?: () => number;
}

/** After this time, half of an owner's work time is forgotten. */
const HALF_LIFE_MS = 60_000;
/** Less than this counts as zero. */
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
  /** Each waiting piece of work counts as one second. */
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
    // The next one begins in the same tick, so that no newcomer can take its place.
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

/** Tracks how long each owner's recent work took. */
function createRecentUse(now: () => number) {
  const uses = new Map<string, { ms: number; at: number }>();
  const msOf = (owner: string): number => {
    const { ms, at } = uses.get(owner) ?? { ms: 0, at: 0 };
    return ms * 0.5 ** ((now() - at) / HALF_LIFE_MS);
  };
  return {
    msOf,
    /** @returns a function to call when the work has ended */
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
