import { AppError } from '#src/shared/app-error.ts';
import type { KeyedLock } from '#src/shared/keyed-lock.ts';

/** Maximum wait for a turn, ms: after it the request is refused, because its client may have given up. */
const WAIT_MAX_MS = 5_000;
const RETRY_AFTER_SECONDS = 2;

/** Runs work on one channel's messages one after the other. @throws AppError unavailable when its turn comes too late */
export type InOrder = <T>(channelId: string, work: () => Promise<T>) => Promise<T>;

/**
 * What is stored in a channel is also told in that order: both happen within one turn. It also keeps a busy channel
 * from taking all connections to the database, whose rows would have them wait for each other anyway.
 * @param steadyNow a monotonic clock, ms
 */
export function createInOrder(locks: KeyedLock, steadyNow: () => number): InOrder {
  return (channelId, work) => {
    const cameAt = steadyNow();
    return locks.run(`messages:${channelId}`, () => {
      if (steadyNow() - cameAt > WAIT_MAX_MS) {
        throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
      }
      return work();
    });
  };
}
