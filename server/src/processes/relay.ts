import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod';
import { currentRequest, forRequest, requestId } from '#src/logs/log.ts';
import { createFarClock } from './clock.ts';
import { createEarlyNews } from './early-news.ts';
import type { Redis, RedisClient } from './redis.ts';

/** How much the stream keeps: minutes of a busy hour, for processes that were cut off. */
const TRIM = { strategy: 'MAXLEN', strategyModifier: '~', threshold: 10_000 } as const;
/** Maximum of messages in one entry: those that came while the previous entry was written. */
const BATCH = 500;
/** Messages that waited for Redis longer than this are dropped, ms: nobody should hear of a press of a minute ago. */
const STALE_MS = 5_000;
const WAITING_MAX = 10_000;
/** A message that waited longer than this shows that Redis doesn't answer, ms. */
const STUCK_MS = 500;
/** How long one reading waits for new entries, ms, and how many it takes. */
const BLOCK_MS = 1_000;
const ENTRIES = 200;
/** Pause between two readings while all entries come early, ms. */
const PACE_MS = 100;
/** Readings have no pause for so long after an entry that didn't come early, ms. Each process sends one every MARK_MS. */
const WITHOUT_PAUSE_MS = 10_000;
/** Pause between two attempts while Redis is away, ms. */
const RETRY_MS = 100;
/** How often a process announces its count, so that the others notice lost messages, ms. */
const MARK_MS = 5_000;
/** A process that was silent for this long is gone, or can't be heard, ms. */
const GONE_MS = 60_000;
/** The count of its news is known for longer, ms: it may be heard again, and what was heard before must not be told twice. */
const FORGET_MS = 3_600_000;

/** Messages that processes send each other at once. They may get lost; what must arrive is a fact (`Facts`). */
export interface Relay {
  /** Sends to all other processes. Never waits: a message that can't be sent within STALE_MS is dropped, and the others notice it. */
  send(topic: string, message: unknown): void;
  /**
   * Subscribes to a topic: each message once, in the order in which its process sent it. Senders may be of another version; messages that
   * the schema can't read are skipped. `afterMs`: time since it was sent, by Redis's clock; null: the sender doesn't say.
   */
  on<Message>(
    topic: string,
    schema: z.ZodType<Message>,
    heard: (message: Message, afterMs: number | null) => void,
  ): void;
  /** Starts listening. `missed` is called when messages were lost, or may have been. */
  open(missed: () => void): Promise<void>;
  /** Whether all messages arrive here at this moment, as far as known. */
  isLinked(): boolean;
  /** Sends waiting messages first, if Redis is there. */
  close(): Promise<void>;
}

/**
 * Several messages of one process: the first one's number, by its own count, and each with its topic. This format is the same in all
 * versions; they may append fields to a message.
 */
const entries = z.object({
  from: z.string(),
  first: z.int(),
  messages: z.array(z.tuple([z.string(), z.unknown()]).rest(z.unknown())),
});
type Entry = z.infer<typeof entries>;
/** Fields after a message: when it was sent, ms since 1970 by Redis's clock, which is the same for all, and for which request. */
const said = z
  .object({ at: z.number().optional(), request: requestId.optional().catch(undefined) })
  .catch({ request: undefined });

/** A relay by a stream in Redis. A process that was cut off reads on from where it was. */
export function createRelay(redis: Redis, log: FastifyBaseLogger): Relay {
  const key = `${redis.prefix}news`;
  const own = randomUUID();
  /** Every entry of this process begins with it, so it is recognised without parsing. */
  const ownStart = `{"from":"${own}",`;
  const entryOf = (begin: number, texts: readonly string[]) =>
    `${ownStart}"first":${begin},"messages":[${texts.join()}]}`;
  const early = createEarlyNews(redis, own, hearEarly);
  const followers = new Map<string, ((message: unknown, afterMs: number | null) => void)[]>();
  const clock = createFarClock(() => performance.now());
  /** Topics with unreadable messages; each is logged once. */
  const unreadable = new Set<string>();
  /** Messages as JSON, because their objects may change meanwhile. */
  let waiting: { text: string; at: number }[] = [];
  /** The number of the first waiting message. */
  let first = 1;
  /** The number of the first message that wasn't told early. */
  let untold = 1;
  /** The newest news are only in the stream. */
  let isHeldBack = false;
  let turn: Promise<void> | null = null;
  let writing = Promise.resolve();
  let isWriting = false;
  /** Redis refused the last entry, which was logged. */
  let isRefused = false;
  let isClosing = false;
  /** The next expected number of each other process, and when it last sent something. */
  const expected = new Map<string, { next: number; at: number }>();
  let reader: RedisClient | null = null;
  let reading: Promise<void> = Promise.resolve();
  let missed: () => void = () => undefined;
  let marks: NodeJS.Timeout | undefined;
  /** When an entry came that only the stream brought, or only in part. */
  let onlyReadAt = performance.now();
  let rested = Promise.withResolvers<void>();

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

  /** Writes one entry after the other, so that order is kept even when a failed entry is written again. */
  async function write(): Promise<void> {
    let hasFailed = false;
    while (waiting.length > 0 && redis.client.isReady && !(isClosing && hasFailed)) {
      const begin = first;
      const batch = waiting.slice(0, BATCH).map(({ text }) => text);
      const entry = entryOf(begin, batch);
      const known = { from: own, next: String(begin + batch.length) };
      try {
        await redis.client.xAdd(key, '*', early.isTelling() ? { entry, ...known } : { entry }, { TRIM });
        drop(begin + batch.length - first);
        isRefused = false;
        redis.wrote();
      } catch (error) {
        // Nobody knows whether it was written, so it is written again; receivers recognise it by its numbers.
        if (!isRefused) log.warn({ err: error }, 'relay_not_written');
        [hasFailed, isRefused] = [true, true];
        // Redis may answer and still refuse writes: when it is full, or no primary any more.
        redis.writeFailed(error);
        dropStale();
        await sleep(RETRY_MS);
      }
    }
    // At once, since what is said from now on is not written by this call.
    isWriting = false;
  }
  /** Doesn't wait for earlier entries to be written. If it leaves some out, the others find them in the stream. */
  function tellEarly(): void {
    const begin = Math.max(untold, first);
    const texts = waiting.slice(begin - first).map(({ text }) => text);
    untold = begin + texts.length;
    if (texts.length === 0) return;
    const isLeftOut = texts.length > BATCH || isRefused || isStuck();
    if (!isLeftOut) early.tell(entryOf(begin, texts));
    // An entry without news says that there are some in the stream.
    else if (!isHeldBack) early.tell(entryOf(untold, []));
    isHeldBack = isLeftOut;
  }
  /** Messages of the same turn go into one entry: the client itself waits for the end of the turn. */
  async function endTurn(): Promise<void> {
    await null;
    turn = null;
    tellEarly();
    // It also writes what others send meanwhile.
    if (isWriting) return;
    isWriting = true;
    writing = write();
  }
  const writeSoon = (): void => {
    if (!redis.client.isReady) dropStale();
    else turn ??= forRequest(undefined, endTurn);
  };
  const say: Relay['send'] = (topic, message) => {
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

  /** Passes on what comes in its turn. The stream has the rest. */
  function hearEarly(text: string): void {
    const entry = readEntry(text);
    if (entry === null) passOver('');
    else if (entry.first <= (expected.get(entry.from)?.next ?? 0)) receive(entry, false);
    else readOn();
  }

  /** Both follow each other from the first entry on. */
  const meet = (from: string): void => {
    early.follow(from);
    say('mark', null);
  };

  /** @param isOld the entry may be from before this process listened, unless its sender is known */
  function receive({ from, first: number, messages }: Entry, isOld: boolean): void {
    const known = expected.get(from)?.next;
    const next = known ?? (isOld ? number + messages.length : number);
    if (known === undefined && isOld) missed();
    if (known === undefined) meet(from);
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

  /** From now on the stream is read without a pause. */
  const readOn = (): void => {
    onlyReadAt = performance.now();
    rested.resolve();
  };
  const rest = async (): Promise<void> => {
    rested = Promise.withResolvers();
    const timer = setTimeout(rested.resolve, PACE_MS);
    await rested.promise;
    clearTimeout(timer);
  };

  const newestOf = async (client: RedisClient): Promise<string> =>
    (await client.xRevRange(key, '+', '-', { COUNT: 1 }))?.[0]?.id ?? '0-0';

  async function read(client: RedisClient, from: string): Promise<void> {
    let place = from;
    let isAway = false;
    /** The newest entry that a Redis already had when it turned out to have lost its data. */
    let oldUntil = '0-0';
    while (!isClosing) {
      try {
        if (isAway) {
          const newest = await newestOf(client);
          // Then Redis lost its data or is another one: it is read from its beginning, and numbers show which entries are known.
          if (isBefore(newest, place)) {
            place = '0-0';
            oldUntil = newest;
          }
          isAway = false;
        }
        const streams = await client.xRead({ key, id: place }, { BLOCK: BLOCK_MS, COUNT: ENTRIES });
        const found = streams?.[0]?.messages ?? [];
        for (const { id, message } of found) {
          place = id;
          const text = String(message.entry);
          if (text.startsWith(ownStart)) continue;
          // Processes of an earlier version tell nothing early, and leave out the fields that say so.
          const { from = '', next = 0 } = message;
          if (!early.follows(String(from))) onlyReadAt = performance.now();
          else if (Number(next) <= (expected.get(String(from))?.next ?? 0)) continue;
          const entry = readEntry(text);
          if (entry === null) passOver('');
          else receive(entry, !isBefore(oldUntil, id));
        }
        const isAllEarly = performance.now() - onlyReadAt > WITHOUT_PAUSE_MS;
        if (isAllEarly && found.length < ENTRIES && !isClosing) await rest();
      } catch (error) {
        if (isClosing) return;
        log.debug({ err: error }, 'relay_not_read');
        isAway = true;
        await sleep(RETRY_MS);
      }
    }
  }

  /** Whether Redis is there but doesn't answer. */
  const isStuck = () => performance.now() - (waiting[0]?.at ?? Number.POSITIVE_INFINITY) > STUCK_MS;
  const mark = (): void => {
    const now = performance.now();
    for (const [from, { at }] of expected) {
      if (now - at <= GONE_MS) early.follow(from);
      else early.forget(from);
      if (now - at > FORGET_MS) expected.delete(from);
    }
    say('mark', null);
    learnTime().catch((error: unknown) => log.debug({ err: error }, 'relay_time_unknown'));
  };
  const learnTime = async (): Promise<void> => {
    const askedAt = performance.now();
    const [seconds, micros] = await redis.client.sendCommand<[string, string]>(['TIME']);
    clock.learn(askedAt, Number(seconds) * 1_000 + Number(micros) / 1_000);
  };

  return {
    send: say,
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
      await early.open();
      reader = await redis.connect();
      reading = read(reader, await newestOf(reader));
      redis.client.on('ready', () => {
        dropStale();
        mark();
      });
      marks = setInterval(mark, MARK_MS);
      // So the others follow this process before it has news.
      say('mark', null);
    },
    isLinked: () => redis.client.isReady && reader?.isReady === true && !isStuck(),
    async close() {
      clearInterval(marks);
      isClosing = true;
      writeSoon();
      await turn;
      await writing;
      readOn();
      reader?.destroy();
      early.close();
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
