import { isIPv4 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from './app-error.ts';

/** Counts attempts per key within a time window. Asynchronous, so that a shared store can replace it later. */
export interface RateLimit {
  /** Counts one attempt. @throws AppError too_many, with the seconds to wait */
  take(key: string): Promise<void>;
  /** Takes one attempt off the count, for attempts that turned out to be legitimate. */
  giveBack(key: string): Promise<void>;
  /** Forgets all attempts of a key. */
  reset(key: string): Promise<void>;
}

export function createRateLimit(attempts: number, windowSeconds: number): RateLimit {
  const limiter = new RateLimiterMemory({ points: attempts, duration: windowSeconds });
  return {
    async take(key) {
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

export interface Allowance {
  /** Takes `amount` if that much is left. @returns whether it was */
  take(amount?: number): boolean;
}

/**
 * The key that attempts from an address are counted under: for IPv6 its /64 network, because one subscriber usually
 * has all of a /64 and could otherwise use a new address for each attempt.
 */
export const addressKey = (address: string): string => {
  if (isIPv4(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
};

/** A refilling allowance for one socket: `burst` at once, `perSecond` in the long run. */
export function createAllowance(burst: number, perSecond: number, now: () => number): Allowance {
  let left = burst;
  let last = now();
  return {
    take(amount = 1) {
      const time = now();
      left = Math.min(burst, left + ((time - last) / 1000) * perSecond);
      last = time;
      if (left < amount) return false;
      left -= amount;
      return true;
    },
  };
}
