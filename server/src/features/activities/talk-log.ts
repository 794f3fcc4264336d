import type { FastifyBaseLogger } from 'fastify';
import type { LoggedAct } from '#src/platform/acts.ts';

const FLUSH_MS = 500;

/**
 * Buffers frequent activities such as talking, which must not wait for the database, for at most half a second and
 * stores them together. Clients are never told that such an entry is stored.
 */
export interface TalkLog {
  add(act: LoggedAct): void;
  /** Stores the entries that there are so far: whoever reads the log then finds them where they belong. */
  flush(): Promise<void>;
  /** Stores the remaining entries. */
  close(): Promise<void>;
}

export function createTalkLog(
  storeEntries: (entries: readonly LoggedAct[]) => Promise<void>,
  log: FastifyBaseLogger,
): TalkLog {
  let waiting: LoggedAct[] = [];
  /** Chains the writes, so that closing also waits for the one in progress. */
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
    add(act) {
      waiting.push(act);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
