import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from '#src/processes/redis.ts';
import { AppError } from '#src/shared/app-error.ts';

/** Entries by key, made when first asked for. Above a certain number, entries that nobody asked for lately are forgotten. */
interface EntryCache<Entry> {
  of(key: string): Entry;
  /** Returns the entry if it is kept. */
  find(key: string): Entry | undefined;
  forget(key: string): void;
}

/** Below this number, nothing is forgotten. */
const KEPT_MIN = 1_000;

/** `now`: a monotonic clock, ms. `mayForget`: whether an entry can be dropped after `idleMs` without use. */
export function createEntryCache<Entry>(
  make: (key: string) => Entry,
  { idleMs, now, mayForget = () => true }: { idleMs: number; now: () => number; mayForget?: (entry: Entry) => boolean },
): EntryCache<Entry> {
  const kept = new Map<string, { entry: Entry; askedAt: number }>();
  let tidiedAt = now();
  const tidy = () => {
    if (kept.size < KEPT_MIN || now() - tidiedAt < idleMs) return;
    tidiedAt = now();
    for (const [key, { entry, askedAt }] of kept) {
      if (now() - askedAt >= idleMs && mayForget(entry)) kept.delete(key);
    }
  };
  const find = (key: string): Entry | undefined => {
    const known = kept.get(key);
    if (known !== undefined) known.askedAt = now();
    return known?.entry;
  };
  return {
    find,
    of(key) {
      const known = find(key);
      if (known !== undefined) return known;
      tidy();
      const entry = make(key);
      kept.set(key, { entry, askedAt: now() });
      return entry;
    },
    forget: (key) => void kept.delete(key),
  };
}

/** How many attempts are allowed within how many seconds. */
export interface LimitOf {
  readonly attempts: number;
  readonly seconds: number;
}

/** Counts attempts per key within a time window. */
export interface RateLimit {
  /** Counts one attempt. @throws AppError too_many, with the seconds to wait */
  take(key: string): Promise<void>;
  /** Counts one attempt of which nobody awaits the outcome: within a tenth of a second, together with others. */
  note(key: string): void;
  /** Counts at once what was noted. */
  countNoted(): void;
  /** Takes one attempt off the count, for attempts that turned out to be legitimate. */
  giveBack(key: string): Promise<void>;
  /** Forgets all attempts of a key. */
  reset(key: string): Promise<void>;
}

/** If Redis answers later than this, the count goes on without it, ms: no sign-in or message waits for it. */
const PATIENCE_MS = 500;

const soon = <T>(answer: Promise<T>): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('Redis did not answer in time')), PATIENCE_MS);
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer));
};

/** The limiter's calls to Redis, each with a time limit. */
const impatient = ({ client }: Pick<Redis, 'client'>) => ({
  get isReady() {
    return client.isReady;
  },
  eval: (...args: Parameters<typeof client.eval>) => soon(client.eval(...args)),
  del: (...args: Parameters<typeof client.del>) => soon(client.del(...args)),
});

/** How long attempts of which nobody awaits the count are gathered, ms. */
const GATHER_MS = 100;
/** Counts attempts of several keys in the way of `RateLimiterRedis`, which counts later ones. */
const COUNT_ALL = `for place, key in ipairs(KEYS) do
  redis.call('set', key, 0, 'EX', ARGV[1], 'NX')
  redis.call('incrby', key, ARGV[place + 1])
end`;

interface Noted {
  note(key: string): void;
  countNoted(): void;
}

/**
 * Counts attempts of several keys together in Redis, or in the memory of this process while Redis is away.
 * @param keyOf the key in Redis
 */
function gatherNotes({
  redis: { client },
  seconds,
  memory,
  keyOf,
}: {
  redis: Pick<Redis, 'client'>;
  seconds: number;
  memory: RateLimiterMemory;
  keyOf(key: string): string;
}): Noted {
  let noted = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const countNoted = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (noted.size === 0) return;
    const counts = noted;
    noted = new Map();
    const countHere = () => {
      for (const [key, count] of counts) memory.consume(key, count).catch(() => undefined);
    };
    if (!client.isReady) {
      countHere();
      return;
    }
    const given = [seconds, ...counts.values()].map(String);
    soon(client.eval(COUNT_ALL, { keys: [...counts.keys()].map(keyOf), arguments: given })).catch(countHere);
  };
  return {
    note(key) {
      noted.set(key, (noted.get(key) ?? 0) + 1);
      timer ??= setTimeout(countNoted, GATHER_MS).unref();
    },
    countNoted,
  };
}

/**
 * @param shared the Redis and name by which several processes count together. While Redis is away each counts by itself.
 */
export function createRateLimit(
  { attempts, seconds }: LimitOf,
  shared: { redis: Pick<Redis, 'client' | 'prefix'>; name: string } | null = null,
): RateLimit {
  const amount = { points: attempts, duration: seconds };
  const memory = new RateLimiterMemory(amount);
  const common =
    shared === null
      ? null
      : new RateLimiterRedis({
          ...amount,
          storeClient: impatient(shared.redis),
          useRedisPackage: true,
          rejectIfRedisNotReady: true,
          keyPrefix: `${shared.redis.prefix}limit:${shared.name}`,
          insuranceLimiter: memory,
        });
  const limiter = common ?? memory;
  const noted: Noted =
    shared === null || common === null
      ? { note: (key) => void memory.consume(key).catch(() => undefined), countNoted: () => undefined }
      : gatherNotes({ redis: shared.redis, seconds, memory, keyOf: (key) => common.getKey(key) });
  return {
    ...noted,
    async take(key) {
      // Redis answers in order, so this attempt comes after them.
      noted.countNoted();
      try {
        await limiter.consume(key);
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        throw new AppError('too_many', { retryAfterSeconds: Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)) });
      }
    },
    async giveBack(key) {
      await limiter.reward(key);
    },
    async reset(key) {
      await limiter.delete(key);
    },
  };
}

/** Counts one attempt. @returns whether the limit allows it */
export async function isWithin(limit: Pick<RateLimit, 'take'>, key: string): Promise<boolean> {
  try {
    await limit.take(key);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'too_many') return false;
    throw error;
  }
}

/** A rate limit that only makes callers wait for the count when they are near the limit. */
export interface HastyLimit {
  /** @throws AppError too_many, with the seconds to wait */
  take(key: string): Promise<void>;
  /** Another process counted an attempt. */
  heard(key: string): void;
}

/**
 * Counts by a limit in Redis, and waits for Redis only after half of the attempts, as far as this process has counted or heard of them.
 * When they are over, every process that heard of them counts at once what it has only noted.
 * The own count is not a `RateLimit`: that sets a timer for each key and makes a promise for each attempt, and every position of every
 * process is counted here.
 * @param amount the limit's amount
 * @param now a monotonic clock, ms
 */
export function createHastyLimit(
  limit: Pick<RateLimit, 'take' | 'note' | 'countNoted'>,
  { attempts, seconds }: LimitOf,
  now: () => number = () => performance.now(),
): HastyLimit {
  const windowMs = seconds * 1_000;
  const windows = createEntryCache(() => ({ count: 0, endsAt: now() + windowMs }), { idleMs: windowMs, now });
  /** Counts one attempt. @returns whether it is one of the first half */
  const isOfFirstHalf = (key: string): boolean => {
    const window = windows.of(key);
    if (now() >= window.endsAt) {
      window.count = 0;
      window.endsAt = now() + windowMs;
    }
    window.count += 1;
    return window.count <= Math.floor(attempts / 2);
  };
  return {
    async take(key) {
      if (isOfFirstHalf(key)) limit.note(key);
      else await limit.take(key);
    },
    heard(key) {
      if (!isOfFirstHalf(key)) limit.countNoted();
    },
  };
}

export interface Allowance {
  /** Takes `amount` if that much is left. @returns whether it was taken */
  take(amount?: number): boolean;
  /** Takes `amount` even if less is left. The rest must refill before anything can be taken again. */
  owe(amount: number): void;
  /** Gives back one that was taken. */
  giveBack(): void;
  /** How long until `amount` (by default 1) is left, ms; 0 when it is. */
  waitMs(amount?: number): number;
}

/** An address as some proxies write it: IPv6 in brackets, with a port or without. */
const WITH_PORT = /^(?:\[(?<ipv6>[^\]]*)\]|(?<ipv4>(?:::ffff:)?\d+(?:\.\d+){3}))(?::\d+)?$/iu;
const UNKNOWN_ADDRESS = 'unknown';

/**
 * The key under which attempts from an address are counted. For IPv6 it is the /56 network: a subscriber usually gets one
 * (RFC 6177) and could otherwise use a new address for each attempt. Texts that are not an address share a key.
 */
export const addressKey = (text: string): string => {
  const { ipv6, ipv4 } = WITH_PORT.exec(text)?.groups ?? {};
  const address = (ipv6 ?? ipv4 ?? text).replace(/%.*$/u, '');
  if (isIP(address) === 0) return UNKNOWN_ADDRESS;
  const parsed = ipaddr.process(address);
  if (!('parts' in parsed)) return parsed.toString();
  const [first = 0, second = 0, third = 0, fourth = 0] = parsed.parts;
  return [first, second, third, fourth & 0xff00].map((group) => group.toString(16)).join(':');
};

/** A refilling allowance: `burst` at once, `perSecond` in the long run. */
export function createAllowance(burst: number, perSecond: number, now: () => number): Allowance {
  let left = burst;
  let last = now();
  const refill = () => {
    const time = now();
    left = Math.min(burst, left + ((time - last) / 1000) * perSecond);
    last = time;
  };
  return {
    take(amount = 1) {
      refill();
      if (left < amount) return false;
      left -= amount;
      return true;
    },
    owe(amount) {
      refill();
      left -= amount;
    },
    giveBack() {
      refill();
      left = Math.min(burst, left + 1);
    },
    waitMs(amount = 1) {
      refill();
      return left >= amount ? 0 : Math.ceil(((amount - left) / perSecond) * 1000);
    },
  };
}

/** Takes one from the allowance of this name, which is made on its first use. */
export function takeFrom(
  allowances: Map<string, Allowance>,
  name: string,
  { burst, perSecond }: { burst: number; perSecond: number },
  now: () => number,
): boolean {
  const allowance = allowances.get(name) ?? createAllowance(burst, perSecond, now);
  allowances.set(name, allowance);
  return allowance.take();
}
