import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';

/** The longest rest between two parts of a work, ms. */
const REST_MAX_MS = 1_000;

/**
 * Long work asks this before each of its parts. It rests for as long as the last part took, so that other users of the
 * database get their turn. False: the server stops, and the work should end.
 */
export type GoesOn = () => Promise<boolean>;

/** A periodic job. */
export interface Job {
  /** Runs the work now, or once more after the run that is under way. */
  soon(): void;
}

/** Periodic jobs. */
export interface Schedule {
  /** Runs `work` every `ms`, skipping ticks while it is still running. Failures are logged as `<name>_failed`. */
  every(ms: number, name: string, work: (goesOn: GoesOn) => Promise<void> | void): Job;
  /** Stops the timers, ends running work before its next part, and waits for it. */
  close(): Promise<void>;
}

export function createSchedule(log: FastifyBaseLogger): Schedule {
  const ending = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const running = new Set<Promise<void>>();
  return {
    every(ms, name, work) {
      let isRunning = false;
      let isWanted = false;
      const begin = (): void => {
        if (isRunning || ending.signal.aborted) return;
        isRunning = true;
        isWanted = false;
        const run: Promise<void> = (async () => work(createPace(ending.signal)))()
          .catch((error: unknown) => log.error({ err: error }, `${name}_failed`))
          .finally(() => {
            running.delete(run);
            isRunning = false;
            if (isWanted) begin();
          });
        running.add(run);
      };
      timers.push(setInterval(begin, ms));
      return {
        soon() {
          isWanted = true;
          begin();
        },
      };
    },
    async close() {
      ending.abort();
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}

function createPace(ending: AbortSignal): GoesOn {
  let begunAt: number | null = null;
  return async () => {
    if (begunAt !== null) {
      const tookMs = performance.now() - begunAt;
      await sleep(Math.min(tookMs, REST_MAX_MS), undefined, { signal: ending }).catch(() => undefined);
    }
    begunAt = performance.now();
    return !ending.aborted;
  };
}
