import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { Relay } from '#src/shared/relay.ts';

/** Every process stores what waits in it within half a second by itself: nobody needs to answer later than this, ms. */
const ANSWER_MS = 700;

export interface SettleDeps {
  /** Stores what waits in this process. */
  flush(): Promise<void>;
  relay: Pick<Relay, 'say' | 'on'>;
  /** How many other processes there are. */
  countOthers(): Promise<number>;
}

const message = z.object({ ask: z.string() });

/**
 * Has every process store the entries that wait there. Whoever names a place in the log asks for it first: what happened before
 * must not come in under that place later (LOG22). A process that is cut off from Redis, or dead, has stored them when nobody waits
 * for it any more.
 */
export function createSettle({ flush, relay, countOthers }: SettleDeps): () => Promise<void> {
  const asked = new Map<string, { left: number; settled(): void }>();
  relay.on('settle', message, ({ ask }) => {
    const answer = () => relay.say('settled', { ask });
    flush().then(answer, answer);
  });
  relay.on('settled', message, ({ ask }) => {
    const waiting = asked.get(ask);
    if (waiting === undefined) return;
    waiting.left -= 1;
    if (waiting.left <= 0) waiting.settled();
  });

  async function settleOthers(): Promise<void> {
    const left = await countOthers();
    if (left === 0) return;
    const ask = randomUUID();
    const { promise, resolve } = Promise.withResolvers<void>();
    asked.set(ask, { left, settled: resolve });
    const timer = setTimeout(resolve, ANSWER_MS);
    relay.say('settle', { ask });
    await promise;
    clearTimeout(timer);
    asked.delete(ask);
  }

  return async () => {
    await Promise.all([flush(), settleOthers()]);
  };
}
