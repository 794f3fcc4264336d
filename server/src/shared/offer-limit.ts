import { createShares, type Share, type Shares } from '@pressel/contract/shares';
import { AppError } from './app-error.ts';
import type { Socket } from './gateway.ts';

/**
 * Each offer costs the receiver a negotiation. Three tabs of one person that lose their socket every ten seconds, or whose
 * links all restart every five, stay below it.
 */
const OFFERS: Share = { atOnce: 20, everyMs: 1_000 };

/** @throws AppError too_many */
export type LimitOffers = (sender: Socket, receiver: Socket | null) => void;

/** Limits the offers of one person, and of all guests of one link, to each socket [LINK11]. @param now a monotonic clock, ms */
export const createOfferLimit = (now: () => number): LimitOffers => {
  // By the receiver's socket, not its id, so that nothing is kept of who left or never was.
  const byReceiver = new WeakMap<Socket, Shares>();
  return (sender, receiver) => {
    if (receiver === null) return;
    const shares = byReceiver.get(receiver) ?? createShares(OFFERS, now);
    byReceiver.set(receiver, shares);
    const { userId, guest } = sender.data.session;
    const sharer = { person: userId, guestsOf: guest?.linkId };
    const waitMs = shares.waitMs(sharer);
    // What is refused costs nobody anything.
    if (waitMs > 0) throw new AppError('too_many', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    shares.take(sharer);
  };
};
