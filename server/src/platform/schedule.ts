import type { FastifyBaseLogger } from 'fastify';

/** Work that comes again and again. */
export interface Schedule {
  /** Does the work every `ms`, and not again before it is done. What fails in it is logged under this name. */
  every(ms: number, name: string, work: () => Promise<void> | void): void;
  /** No more of it begins. Waits for what is under way. */
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
