import { AppError } from './app-error.ts';
import type { Socket } from './gateway.ts';
import { ownerOf } from './session.ts';

/**
 * Each offer costs the receiver a negotiation. Three tabs of one person that lose their socket every ten seconds, or whose
 * links all restart every five, stay below it.
 */
const OFFERS_AT_ONCE = 20;
const OFFER_EVERY_MS = 1_000;

/** @throws AppError too_many */
export type LimitOffers = (sender: Socket, receiver: Socket | null) => void;

/**
 * Limits the offers of one person to each socket, by all of theirs, those that are gone too; the guests of one link are one
 * person here [LINK11]. @param now a monotonic clock, ms
 */
export const createOfferLimit = (now: () => number): LimitOffers => {
  // By the receiver's socket, not its id, so that nothing is kept of who left or never was. Until when each sender has
  // used theirs: whose time has come isn't kept either.
  const usedUntil = new WeakMap<Socket, Map<string, number>>();
  return (sender, receiver) => {
    if (receiver === null) return;
    const time = now();
    const person = ownerOf(sender.data.session);
    const senders = usedUntil.get(receiver) ?? new Map<string, number>();
    usedUntil.set(receiver, senders);
    for (const [other, until] of senders) if (until <= time) senders.delete(other);
    const until = (senders.get(person) ?? time) + OFFER_EVERY_MS;
    const waitMs = until - time - OFFERS_AT_ONCE * OFFER_EVERY_MS;
    if (waitMs > 0) throw new AppError('too_many', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    senders.set(person, until);
  };
};
