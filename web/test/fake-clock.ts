import type { Clock } from '#src/features/voice/engine/platform.ts';

export interface FakeClock extends Clock {
  /** Advances the time, running due timers in order and settling promises in between. */
  advance(ms: number): Promise<void>;
  /** Lets time pass while the page sleeps, or works: no timer runs. */
  sleep(ms: number): void;
  /** Number of pending timers. */
  pending(): number;
}

/** Waits until pending promises have settled. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
};

/** A clock that only moves by `advance`. */
export const createFakeClock = (): FakeClock => {
  let now = 1_000;
  let count = 0;
  const timers = new Map<number, { at: number; run: () => void }>();

  const next = (until: number) => {
    let first: { id: number; at: number } | undefined;
    for (const [id, { at }] of timers) {
      if (at <= until && (first === undefined || at < first.at)) first = { id, at };
    }
    return first;
  };

  return {
    now: () => now,
    wall: () => 1_790_000_000_000 + now,
    after(ms, run) {
      count += 1;
      const id = count;
      timers.set(id, { at: now + Math.max(ms, 0), run });
      return () => {
        timers.delete(id);
      };
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (let due = next(end); due !== undefined; due = next(end)) {
        const timer = timers.get(due.id);
        timers.delete(due.id);
        now = Math.max(now, due.at);
        timer?.run();
        await settle();
      }
      now = Math.max(now, end);
    },
    sleep(ms) {
      now += ms;
    },
    pending: () => timers.size,
  };
};
