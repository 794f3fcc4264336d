import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod';
import { databaseTrouble } from '#src/db/errors.ts';
import type { LoggedAct } from '#src/history/change.ts';
import type { Relay } from '#src/processes/relay.ts';
import { uuidV7 } from '#src/shared/ids.ts';

/** Time to answer, ms. No process needs longer, because each stores what waits in it within half a second by itself. */
const ANSWER_MS = 700;

interface SettleDeps {
  processId: string;
  /** Stores what waits in this process. */
  flush(): Promise<void>;
  relay: Pick<Relay, 'send' | 'on' | 'isLinked'>;
  /** The ids of the other processes. A process that died may be among them until its lease is over. */
  listOthers(): Promise<readonly string[]>;
}

interface Settle {
  /**
   * Makes every process store the entries that wait there. Call it before you name a cursor of the log: earlier acts must not
   * come in under that place later (LOG22). If a process is dead or cut off from Redis, its entries are stored by the time that
   * nobody waits for it any more.
   */
  everywhere(): Promise<void>;
  /**
   * The same for readers of what happened last, who may miss something rather than wait (PROC70). It doesn't wait for a process
   * that left an earlier question unanswered, nor while Redis is away. Requests that come meanwhile are done together.
   */
  soon(): Promise<void>;
}

const question = z.object({ ask: z.string() });
const answer = z.object({ ask: z.string(), from: z.string() });

export function createSettle({ processId, flush, relay, listOthers }: SettleDeps): Settle {
  const asked = new Map<string, { left: Set<string>; settled(): void }>();
  /** Processes that left a question unanswered and have said nothing since. */
  const silent = new Set<string>();
  relay.on('settle', question, ({ ask }) => {
    const settled = () => relay.send('settled', { ask, from: processId } satisfies z.infer<typeof answer>);
    flush().then(settled, settled);
  });
  relay.on('settled', answer, ({ ask, from }) => {
    silent.delete(from);
    const waiting = asked.get(ask);
    if (waiting?.left.delete(from) && waiting.left.size === 0) waiting.settled();
  });

  /** @param isWorthWaiting whether a process is waited for */
  async function settleOthers(isWorthWaiting: (process: string) => boolean): Promise<void> {
    const others = await listOthers();
    if (others.length === 0) return;
    for (const one of silent) if (!others.includes(one)) silent.delete(one);
    const ask = randomUUID();
    const left = new Set(others.filter(isWorthWaiting));
    const { promise, resolve } = Promise.withResolvers<void>();
    asked.set(ask, { left, settled: resolve });
    const timer = setTimeout(resolve, ANSWER_MS);
    if (left.size === 0) resolve();
    relay.send('settle', { ask } satisfies z.infer<typeof question>);
    await promise;
    clearTimeout(timer);
    asked.delete(ask);
    for (const one of left) silent.add(one);
  }

  const settleSoon = async (): Promise<void> => {
    const others = relay.isLinked() ? settleOthers((one) => !silent.has(one)) : undefined;
    await Promise.all([flush(), others]);
  };
  /** The attempt under way, and the one that follows it. */
  let settling: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    settling = settleSoon().finally(() => {
      settling = null;
    });
    return settling;
  };

  return {
    async everywhere() {
      await Promise.all([flush(), settleOthers(() => true)]);
    },
    soon() {
      if (settling === null) return begin();
      const follow = () => {
        next = null;
        return begin();
      };
      next ??= settling.then(follow, follow);
      return next;
    },
  };
}

const FLUSH_MS = 500;
/** Maximum of entries that wait for the database; more are lost. At five talks a second that is half an hour. */
export const WAITING_MAX = 10_000;
/** Entries that one statement stores. */
const PART = 500;
/** How long the server's stop waits for a database that is away, and how often it tries meanwhile, ms. */
const CLOSE_MAX_MS = 2_000;
const CLOSE_RETRY_MS = 200;

/**
 * Buffers frequent activities such as talking, which must not wait for the database, for at most half a second and
 * stores them together. While the database is away they wait. Clients are never told that such an entry is stored.
 */
export interface TalkLog {
  add(act: LoggedAct): void;
  /** Stores an entry now, or together with the others while the database is away. */
  put(act: LoggedAct): Promise<void>;
  /** Stores the entries that there are so far, so that readers of the log find them where they belong. */
  flush(): Promise<void>;
  /** How many entries wait. */
  waiting(): number;
  /** Stores the remaining entries, as long as the server's stop may wait for them. */
  close(): Promise<void>;
}

/** @param storeEntries may be given the same entry, with the same id, again */
export function createTalkLog(
  storeEntries: (entries: readonly LoggedAct[]) => Promise<void>,
  log: FastifyBaseLogger,
): TalkLog {
  const waiting: LoggedAct[] = [];
  let unkept = 0;
  let isAway = false;
  /** The attempt under way, and the one that follows it. */
  let storing: Promise<void> | null = null;
  let next: Promise<void> | null = null;

  /** Stores these entries, or those of them that can be stored. @returns false when the database is away */
  async function store(entries: readonly LoggedAct[]): Promise<boolean> {
    try {
      await storeEntries(entries);
      return true;
    } catch (error) {
      if (databaseTrouble(error) !== null) {
        if (!isAway) log.warn({ err: error, waiting: waiting.length }, 'talk_log_delayed');
        return false;
      }
      if (entries.length === 1) {
        log.error({ err: error, lost: 1 }, 'talk_log_failed');
        return true;
      }
    }
    // One of them can never be stored; the others can.
    for (const entry of entries) if (!(await store([entry]))) return false;
    return true;
  }

  async function storeWaiting(): Promise<void> {
    if (unkept > 0) log.error({ lost: unkept }, 'talk_log_failed');
    unkept = 0;
    while (waiting.length > 0) {
      const part = waiting.slice(0, PART);
      isAway = !(await store(part));
      if (isAway) return;
      waiting.splice(0, part.length);
    }
  }

  const begin = (): Promise<void> => {
    storing = storeWaiting().finally(() => {
      storing = null;
    });
    return storing;
  };
  const flush = (): Promise<void> => {
    if (next !== null) return next;
    if (storing === null) return begin();
    next = storing.then(() => {
      next = null;
      return begin();
    });
    return next;
  };
  const timer = setInterval(flush, FLUSH_MS);
  const keep = (entry: LoggedAct): void => {
    if (waiting.length < WAITING_MAX) waiting.push(entry);
    else unkept += 1;
  };
  return {
    add: (act) => keep(named(act)),
    async put(act) {
      const entry = named(act);
      try {
        await storeEntries([entry]);
      } catch (error) {
        if (databaseTrouble(error) === null) throw error;
        keep(entry);
      }
    },
    flush,
    waiting: () => waiting.length,
    async close() {
      clearInterval(timer);
      const end = performance.now() + CLOSE_MAX_MS;
      do {
        await Promise.race([flush(), sleep(Math.max(0, end - performance.now()), undefined, { ref: false })]);
        if (waiting.length > 0) await sleep(CLOSE_RETRY_MS);
      } while (waiting.length > 0 && performance.now() < end);
      if (waiting.length > 0) log.error({ lost: waiting.splice(0).length }, 'talk_log_failed');
    },
  };
}

/** The id is given once, so that an entry whose first attempt was stored after all isn't stored twice. */
const named = (act: LoggedAct): LoggedAct => ({ ...act, id: uuidV7(act.at.getTime()) });
