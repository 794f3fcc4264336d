import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { AppError } from './app-error.ts';

/** Counts attempts per key within a time window. Asynchronous, so that several processes can share one later. */
export interface RateLimit {
  /** Counts one attempt. @throws AppError too_many, with the seconds to wait */
  take(key: string): Promise<void>;
  /** Gives an attempt back: it turned out to be a good one. */
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

/** A refilling allowance for one socket: `burst` at once, `perSecond` in the long run. */
export function createAllowance(burst: number, perSecond: number, now: () => number): { take(): boolean } {
  let left = burst;
  let last = now();
  return {
    take() {
      const time = now();
      left = Math.min(burst, left + ((time - last) / 1000) * perSecond);
      last = time;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
