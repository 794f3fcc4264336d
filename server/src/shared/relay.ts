import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod';
import { createFarClock } from './far-clock.ts';
import type { Redis, RedisClient } from './redis.ts';
import { currentRequest, forRequest, requestId } from './request-id.ts';

/** How much the stream keeps: minutes of a busy hour, for whoever was cut off. */
const TRIM = { strategy: 'MAXLEN', strategyModifier: '~', threshold: 10_000 } as const;
/** Messages of one entry: what came while the one before was written. */
const BATCH = 500;
/** What waited longer than this for Redis is not said any more, ms: nobody should hear of a press of a minute ago. */
const STALE_MS = 5_000;
const WAITING_MAX = 10_000;
/** What waited longer than this shows that Redis doesn't answer, ms. */
const STUCK_MS = 500;
/** How long one reading waits for something new, ms, and how many entries it takes. */
const BLOCK_MS = 1_000;
const ENTRIES = 200;
/** Between two attempts while Redis is away, ms. */
const RETRY_MS = 100;
/** How often a process says how far it has counted, so that the others notice what never came, ms. */
const MARK_MS = 5_000;
/** A process that said nothing for this long is gone, ms. */
const FORGET_MS = 60_000;

/** What the processes tell each other at once. What must arrive whatever happens is a fact (`Facts`). */
export interface Relay {
  /** Tells all other processes. Never waits: what can't be said for STALE_MS is dropped, and the others notice that they missed something. */
  say(topic: string, message: unknown): void;
  /**
   * Hears what the others say of a topic: once each, in the order in which each of them said it. They may be of another version: what the
   * schema can't read is passed over. `afterMs`: since it was said, by Redis's clock; null: its process doesn't say when.
   */
  on<Message>(
    topic: string,
    schema: z.ZodType<Message>,
    heard: (message: Message, afterMs: number | null) => void,
  ): void;
  /** From now on it hears. `missed`: something was said that never came, or may have been. */
  open(missed: () => void): Promise<void>;
  /** Whether all that is said comes here at this moment, as far as is known. */
  isLinked(): boolean;
  /** Says what waits, if Redis is there. */
  close(): Promise<void>;
}

/**
 * Several messages of one process: the first one's number, by its own count, and each with its topic. All versions write and read them so:
 * more may come behind.
 */
const entries = z.object({
  from: z.string(),
  first: z.int(),
  messages: z.array(z.tuple([z.string(), z.unknown()]).rest(z.unknown())),
});
type Entry = z.infer<typeof entries>;
/** What comes behind a message: when it was said, ms since 1970 by Redis's clock, which is the same for all, and for which request. */
const said = z
  .object({ at: z.number().optional(), request: requestId.optional().catch(undefined) })
  .catch({ request: undefined });

/** A relay by a stream in Redis. Whoever was cut off reads on from where it was. */
export function createRelay(redis: Redis, log: FastifyBaseLogger): Relay {
  const key = `${redis.prefix}news`;
  /** Every entry of this process begins with it: known without being parsed. */
  const ownStart = `{"from":"${randomUUID()}",`;
  const followers = new Map<string, ((message: unknown, afterMs: number | null) => void)[]>();
  const clock = createFarClock(() => performance.now());
  /** Topics of which something could not be read: said once of each. */
  const unreadable = new Set<string>();
  /** As JSON, because what is told may change meanwhile. */
  let waiting: { text: string; at: number }[] = [];
  /** The number of the first that waits. */
  let first = 1;
  let writing: Promise<void> | null = null;
  let isClosing = false;
  /** What each other process says next, and when it spoke last. */
  const expected = new Map<string, { next: number; at: number }>();
  let reader: RedisClient | null = null;
  let reading: Promise<void> = Promise.resolve();
  let missed: () => void = () => undefined;
  let marks: NodeJS.Timeout | undefined;

  const drop = (count: number): void => {
    if (count <= 0) return;
    waiting = waiting.slice(count);
    first += count;
  };
  const dropStale = (): void => {
    const limit = performance.now() - STALE_MS;
    const fresh = waiting.findIndex(({ at }) => at >= limit);
    drop(Math.max(fresh === -1 ? waiting.length : fresh, waiting.length - WAITING_MAX));
  };

  /** One entry after the other, so that nothing overtakes anything, whatever fails and is written again. */
  async function write(): Promise<void> {
    let hasFailed = false;
    // What is said in the same turn goes with it: the client itself waits for the end of the turn.
    await null;
    while (waiting.length > 0 && redis.client.isReady && !(isClosing && hasFailed)) {
      const begin = first;
      const batch = waiting.slice(0, BATCH).map(({ text }) => text);
      const entry = `${ownStart}"first":${begin},"messages":[${batch.join()}]}`;
      try {
        await redis.client.xAdd(key, '*', { entry }, { TRIM });
        drop(begin + batch.length - first);
      } catch (error) {
        // Whether it was written isn't known: it is written again, and known by its numbers.
        if (!hasFailed) log.warn({ err: error }, 'relay_not_written');
        hasFailed = true;
        // A Redis may answer and still refuse what is written: one that is full, or no master any more.
        dropStale();
        await sleep(RETRY_MS);
      }
    }
  }
  const writeSoon = (): void => {
    if (!redis.client.isReady) {
      dropStale();
      return;
    }
    // It writes what others say meanwhile, too.
    writing ??= forRequest(undefined, write).finally(() => {
      writing = null;
    });
  };
  const say: Relay['say'] = (topic, message) => {
    const at = clock.isKnown() ? Math.round(clock.now() * 10) / 10 : undefined;
    const more: z.infer<typeof said> = { at, request: currentRequest() };
    waiting.push({ text: JSON.stringify([topic, message, more]), at: performance.now() });
    writeSoon();
  };

  const passOver = (topic: string): void => {
    if (unreadable.has(topic)) return;
    unreadable.add(topic);
    log.warn({ topic }, 'relay_unreadable');
  };

  /** @param isOld it may be from before this process listened, unless its sender is known */
  function receive({ from, first: number, messages }: Entry, isOld: boolean): void {
    const known = expected.get(from)?.next;
    const next = known ?? (isOld ? number + messages.length : number);
    if (known === undefined && isOld) missed();
    expected.set(from, { next: Math.max(next, number + messages.length), at: performance.now() });
    if (number > next) missed();
    for (const [topic, message, more] of messages.slice(Math.max(0, next - number))) {
      const { at, request } = said.parse(more);
      const afterMs = at === undefined || !clock.isKnown() ? null : Math.max(0, clock.now() - at);
      for (const heard of followers.get(topic) ?? []) {
        try {
          forRequest(request, () => {
            if (request !== undefined) log.debug({ topic }, 'news_heard');
            heard(message, afterMs);
          });
        } catch (error) {
          log.error({ err: error, topic }, 'relay_failed');
        }
      }
    }
  }

  const newestOf = async (client: RedisClient): Promise<string> =>
    (await client.xRevRange(key, '+', '-', { COUNT: 1 }))?.[0]?.id ?? '0-0';

  async function read(client: RedisClient, from: string): Promise<void> {
    let place = from;
    let isAway = false;
    /** What a Redis had already that lost what it had before. */
    let oldUntil = '0-0';
    while (!isClosing) {
      try {
        if (isAway) {
          const newest = await newestOf(client);
          // A Redis that lost what it had, or is another one now: what it has is read from its beginning, and known by its numbers.
          if (isBefore(newest, place)) {
            place = '0-0';
            oldUntil = newest;
          }
          isAway = false;
        }
        const streams = await client.xRead({ key, id: place }, { BLOCK: BLOCK_MS, COUNT: ENTRIES });
        for (const { id, message } of streams?.[0]?.messages ?? []) {
          place = id;
          const text = String(message.entry);
          if (text.startsWith(ownStart)) continue;
          const entry = readEntry(text);
          if (entry === null) passOver('');
          else receive(entry, !isBefore(oldUntil, id));
        }
      } catch (error) {
        if (isClosing) return;
        log.debug({ err: error }, 'relay_not_read');
        isAway = true;
        await sleep(RETRY_MS);
      }
    }
  }

  /** A Redis that is there and doesn't answer. */
  const isStuck = () => performance.now() - (waiting[0]?.at ?? Number.POSITIVE_INFINITY) > STUCK_MS;
  const mark = (): void => {
    const limit = performance.now() - FORGET_MS;
    for (const [from, { at }] of expected) if (at < limit) expected.delete(from);
    say('mark', null);
    learnTime().catch((error: unknown) => log.debug({ err: error }, 'relay_time_unknown'));
  };
  const learnTime = async (): Promise<void> => {
    const askedAt = performance.now();
    const [seconds, micros] = await redis.client.sendCommand<[string, string]>(['TIME']);
    clock.learn(askedAt, Number(seconds) * 1_000 + Number(micros) / 1_000);
  };

  return {
    say,
    on(topic, schema, heard) {
      const read = (message: unknown, afterMs: number | null): void => {
        const known = schema.safeParse(message);
        if (known.success) heard(known.data, afterMs);
        else passOver(topic);
      };
      followers.set(topic, [...(followers.get(topic) ?? []), read]);
    },
    async open(told) {
      missed = told;
      await learnTime();
      reader = await redis.connect();
      reading = read(reader, await newestOf(reader));
      redis.client.on('ready', () => {
        dropStale();
        mark();
      });
      marks = setInterval(mark, MARK_MS);
    },
    isLinked: () => redis.client.isReady && reader?.isReady === true && !isStuck(),
    async close() {
      clearInterval(marks);
      isClosing = true;
      writeSoon();
      await writing;
      reader?.destroy();
      await reading;
    },
  };
}

function readEntry(text: string): Entry | null {
  try {
    return entries.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Whether an entry's id, `<ms>-<count>`, is older than another. */
function isBefore(id: string, other: string): boolean {
  const [ms = 0, count = 0] = id.split('-').map(Number);
  const [otherMs = 0, otherCount = 0] = other.split('-').map(Number);
  return ms < otherMs || (ms === otherMs && count < otherCount);
}
