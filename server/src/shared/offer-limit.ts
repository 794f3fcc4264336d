import { AppError } from './app-error.ts';
import type { Socket } from './gateway.ts';
import type { Session } from './session.ts';

/**
 * Each offer costs the receiver a negotiation. Three tabs of one person that lose their socket every ten seconds, or whose
 * links all restart every five, stay below it.
 */
const OFFERS_AT_ONCE = 20;
const OFFER_EVERY_MS = 1_000;
/**
 * All guests of one link together may send so many times what one person may: one alone can't use it up, and whoever comes again and
 * again as another guest gets no more than it.
 */
const GUESTS_TIMES = 4;

/** @throws AppError too_many */
export type LimitOffers = (sender: Socket, receiver: Socket | null) => void;

/**
 * Limits the offers of one person to each socket, by all of theirs, those that are gone too; a guest's also by those of all guests of
 * their link [LINK11]. @param now a monotonic clock, ms
 */
export const createOfferLimit = (now: () => number): LimitOffers => {
  // By the receiver's socket, not its id, so that nothing is kept of who left or never was. Until when each share is
  // used: of whose time has come nothing is kept either.
  const usedUntil = new WeakMap<Socket, Map<string, number>>();
  return (sender, receiver) => {
    if (receiver === null) return;
    const time = now();
    const used = usedUntil.get(receiver) ?? new Map<string, number>();
    usedUntil.set(receiver, used);
    for (const [share, until] of used) if (until <= time) used.delete(share);
    const shares = sharesOf(sender.data.session).map(
      ({ key, times }) => [key, (used.get(key) ?? time) + OFFER_EVERY_MS / times] as const,
    );
    const waitMs = Math.max(...shares.map(([, until]) => until)) - time - OFFERS_AT_ONCE * OFFER_EVERY_MS;
    // Before any is used: what is refused costs nobody anything.
    if (waitMs > 0) throw new AppError('too_many', { retryAfterSeconds: Math.ceil(waitMs / 1000) });
    for (const [key, until] of shares) used.set(key, until);
  };
};

/** What an offer takes from, and how many times a person's share that is. */
const sharesOf = ({ userId, guest }: Session): readonly { key: string; times: number }[] => {
  const own = { key: userId, times: 1 };
  return guest === undefined ? [own] : [own, { key: guest.linkId, times: GUESTS_TIMES }];
};
