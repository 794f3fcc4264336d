import type { Clock, Stop } from './platform.ts';

/** Delay before trying again what the browser refused; doubled each time, because some browsers refuse for ever. */
const RETRY_FIRST_MS = 250;
export const RETRY_MAX_MS = 8_000;

/** Brings a fact to the latest wish: one step at a time, wishes in between are skipped, and the last one is never dropped. */
export interface LatestWish<T> {
  want(wish: T): void;
  /** Call when steps can be taken. `fact`: what holds now. `step` resolves with whether the wish holds, and never rejects. */
  begin(fact: T, step: (wish: T) => Promise<boolean>): void;
  close(): void;
}

export const createLatestWish = <T>(clock: Clock, first: T): LatestWish<T> => {
  let wanted = first;
  let actual = first;
  let step: ((wish: T) => Promise<boolean>) | null = null;
  let isBusy = false;
  let isClosed = false;
  let retryMs = RETRY_FIRST_MS;
  let cancelRetry: Stop = () => undefined;

  const apply = async () => {
    if (isBusy || isClosed || step === null || actual === wanted) return;
    isBusy = true;
    const target = wanted;
    const isDone = await step(target);
    isBusy = false;
    if (isClosed) return;
    if (isDone) {
      actual = target;
      retryMs = RETRY_FIRST_MS;
      void apply();
    } else {
      cancelRetry();
      cancelRetry = clock.after(retryMs, () => void apply());
      retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
    }
  };

  return {
    want(wish) {
      wanted = wish;
      retryMs = RETRY_FIRST_MS;
      void apply();
    },
    begin(fact, take) {
      actual = fact;
      step = take;
      void apply();
    },
    close() {
      isClosed = true;
      cancelRetry();
    },
  };
};
