import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Relay } from '#src/processes/relay.ts';

/** Time to answer, ms. No process needs longer, because each stores what waits in it within half a second by itself. */
const ANSWER_MS = 700;

export interface SettleDeps {
  processId: string;
  /** Stores what waits in this process. */
  flush(): Promise<void>;
  relay: Pick<Relay, 'send' | 'on' | 'isLinked'>;
  /** The ids of the other processes. A process that died may be among them until its lease is over. */
  listOthers(): Promise<readonly string[]>;
}

export interface Settle {
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
