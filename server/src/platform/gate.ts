import { AppError } from '#src/shared/app-error.ts';

/** Lets some in at a time; the others wait in the order in which they came. */
export interface Gate {
  /** @throws AppError unavailable when too many wait already */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(atOnce: number, waitingMax: number, retryAfterSeconds: number): Gate {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return {
    async run(work) {
      if (inside >= atOnce) {
        if (waiting.length >= waitingMax) throw new AppError('unavailable', { retryAfterSeconds });
        // Whoever leaves hands over the place, so that nobody who comes between takes it.
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else {
        inside += 1;
      }
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) inside -= 1;
        else next();
      }
    },
  };
}
