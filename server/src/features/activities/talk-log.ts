import type { FastifyBaseLogger } from 'fastify';
import type { Activity } from './activities.repository.ts';

const FLUSH_MS = 500;

/**
 * Acts that happen too often and too fast to wait for the database, such as talking: kept for at most half a second,
 * stored together. Nothing that a client was told is stored depends on it.
 */
export interface TalkLog {
  add(activity: Activity): void;
  /** Stores what is left. */
  close(): Promise<void>;
}

export function createTalkLog(
  storeEntries: (entries: readonly (Activity & { at: Date })[]) => Promise<void>,
  now: () => Date,
  log: FastifyBaseLogger,
): TalkLog {
  let waiting: (Activity & { at: Date })[] = [];
  /** One store after the other, so that closing waits for the one under way too. */
  let storing = Promise.resolve();
  const store = async (): Promise<void> => {
    const entries = waiting;
    if (entries.length === 0) return;
    waiting = [];
    try {
      await storeEntries(entries);
    } catch (error) {
      log.error({ err: error, lost: entries.length }, 'talk_log_failed');
    }
  };
  const flush = (): Promise<void> => {
    storing = storing.then(store);
    return storing;
  };
  const timer = setInterval(flush, FLUSH_MS);
  return {
    add(activity) {
      waiting.push({ ...activity, at: now() });
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
