import { AppError } from '#src/shared/app-error.ts';

/** Limits concurrency; further callers wait in order of arrival. */
export interface Gate {
  /** @throws AppError unavailable when the queue is full */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(atOnce: number, waitingMax: number, retryAfterSeconds: number): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    async run(work) {
      if (running >= atOnce) {
        if (waiting.length >= waitingMax) throw new AppError('unavailable', { retryAfterSeconds });
        // The finishing caller passes its slot on without lowering `running`, so that no newcomer can take it.
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else {
        running += 1;
      }
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
