import type { FastifyBaseLogger } from 'fastify';

/** Periodic jobs. */
export interface Schedule {
  /** Runs `work` every `ms`, skipping ticks while it is still running. Failures are logged as `<name>_failed`. */
  every(ms: number, name: string, work: () => Promise<void> | void): void;
  /** Stops the timers and waits for running jobs. */
  close(): Promise<void>;
}

export function createSchedule(log: FastifyBaseLogger): Schedule {
  const timers: NodeJS.Timeout[] = [];
  const running = new Map<string, Promise<void>>();
  return {
    every(ms, name, work) {
      const once = (): void => {
        if (running.has(name)) return;
        const run = (async () => work())()
          .catch((error: unknown) => log.error({ err: error }, `${name}_failed`))
          .finally(() => running.delete(name));
        running.set(name, run);
      };
      timers.push(setInterval(once, ms));
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}
