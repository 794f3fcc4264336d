import { AppError } from '#src/shared/app-error.ts';

const RETRY_AFTER_SECONDS = 2;

/** Work that handles entries together when they wait side by side. */
export interface Batch<Entry> {
  /** Maximum of entries in one call. */
  readonly most: number;
  /** After this wait an entry is refused, because its sender may have given up. */
  readonly waitMaxMs: number;
  /** Settles each entry. */
  work(entries: readonly Entry[]): Promise<void>;
  /** Called when an entry's turn came too late, or `work` threw. */
  refuse(entry: Entry, reason: unknown): void;
}

/** Runs its work one after the other, in order. Work that has begun is never refused as late. */
export interface Mailbox {
  /** @throws AppError unavailable: its turn came later than `waitMaxMs` */
  run<T>(work: () => Promise<T>, waitMaxMs?: number): Promise<T>;
  add<Entry>(batch: Batch<Entry>, entry: Entry): void;
  /** Whether something is under way or waits. */
  isBusy(): boolean;
  /** How much waits. */
  waiting(): number;
}

interface Letter {
  readonly batch: Batch<unknown>;
  readonly entry: unknown;
  readonly cameAt: number;
}

/**
 * @param now a monotonic clock, ms
 * @param idle called whenever nothing is left to do
 */
export function createMailbox(now: () => number, idle: () => void = () => undefined): Mailbox {
  const letters: Letter[] = [];
  let isWorking = false;

  /** Takes the first entries of one batch. */
  const takeSome = (): Letter[] => {
    const [first] = letters;
    const end = letters.findIndex(({ batch }, index) => batch !== first?.batch || index === batch.most);
    return letters.splice(0, end === -1 ? letters.length : end);
  };

  async function workOn(some: readonly Letter[]): Promise<void> {
    const { batch } = some[0] as Letter;
    const time = now();
    const entries: unknown[] = [];
    for (const { entry, cameAt } of some) {
      if (time - cameAt <= batch.waitMaxMs) entries.push(entry);
      else batch.refuse(entry, new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }));
    }
    if (entries.length === 0) return;
    try {
      await batch.work(entries);
    } catch (error) {
      for (const entry of entries) batch.refuse(entry, error);
    }
  }

  async function workThrough(): Promise<void> {
    // Entries that arrive within this turn of the event loop wait side by side.
    await null;
    while (letters.length > 0) await workOn(takeSome());
    isWorking = false;
    idle();
  }

  const add = <Entry>(batch: Batch<Entry>, entry: Entry): void => {
    letters.push({ batch: batch as Batch<unknown>, entry, cameAt: now() });
    if (isWorking) return;
    isWorking = true;
    void workThrough();
  };

  return {
    run(work, waitMaxMs = Number.POSITIVE_INFINITY) {
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof work>>>();
      const alone: Batch<typeof work> = {
        ...{ most: 1, waitMaxMs },
        work: async ([mine = work]) => resolve(await mine()),
        refuse: (_mine, reason) => reject(reason),
      };
      add(alone, work);
      return promise;
    },
    add,
    isBusy: () => isWorking,
    waiting: () => letters.length,
  };
}
