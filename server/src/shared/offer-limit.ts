import { AppError } from './app-error.ts';
import type { Socket } from './gateway.ts';
import { type Allowance, createAllowance } from './rate-limit.ts';

/** Each offer costs the receiver a negotiation. Links that heal make one in five seconds at most, and a few at first. */
const OFFER_BURST = 10;
const OFFERS_PER_SECOND = 0.5;

/** Limits the offers of one socket to each other one [LINK11]. @param now a monotonic clock, ms */
export const createOfferLimit = (now: () => number) => {
  // By the receiver's socket, not its id, so that nothing is kept of who left or never was.
  const allowances = new WeakMap<Socket, Allowance>();
  /** @throws AppError too_many */
  return (receiver: Socket | null): void => {
    if (receiver === null) return;
    const allowance = allowances.get(receiver) ?? createAllowance(OFFER_BURST, OFFERS_PER_SECOND, now);
    allowances.set(receiver, allowance);
    if (allowance.take()) return;
    throw new AppError('too_many', { retryAfterSeconds: Math.ceil(allowance.waitMs() / 1000) });
  };
};
