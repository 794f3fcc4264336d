import { GATHERING_MAX_CANDIDATES } from '@pressel/contract/limits';
import { createShares, type Share, type Sharer, type Shares } from '@pressel/contract/shares';
import type { Socket } from './gateway.ts';

/** Limited signals. Answers are unlimited: a page reads one for each of its own offers, and ignores all others. */
export type Limited = 'offer' | 'candidate';

const SHARES: Readonly<Record<Limited, Share>> = {
  /**
   * Each offer costs the receiver a negotiation. Three tabs of one person that lose their socket every ten seconds, or whose
   * links all restart every five, stay below it.
   */
  offer: { atOnce: 20, everyMs: 1_000 },
  /**
   * Each candidate makes the receiver's browser send checks to an address that the sender chose. One gathering follows each
   * offer or answer. Three such tabs gather six times at once, and then six times in ten seconds. This allows ten times at
   * once, and then once in 1.2 s.
   */
  candidate: { atOnce: 10 * GATHERING_MAX_CANDIDATES, everyMs: 1_200 / GATHERING_MAX_CANDIDATES },
};

/** Counts a signal within the limit. @returns how long until one more is relayed, ms; 0: this one is relayed */
export type LimitSignals = (signal: Limited, sharer: Sharer, receiver: Socket) => number;

/** The sender's share of the limits: a person has one, and all guests of a link together have one. */
export const sharerOf = ({ data: { session } }: Pick<Socket, 'data'>): Sharer => ({
  person: session.userId,
  guestsOf: session.guest?.linkId,
});

/**
 * Limits the offers and candidates of one person, and of all guests of one link, to each socket [LINK11] [LINK13].
 * @param now a monotonic clock, ms
 */
export const createSignalLimit = (now: () => number): LimitSignals => {
  // Keyed by the receiver's socket, not its id, so that nothing is kept about sockets that are gone or never existed.
  const byReceiver = new WeakMap<Socket, Record<Limited, Shares>>();
  return (signal, sharer, receiver) => {
    const all = byReceiver.get(receiver) ?? {
      offer: createShares(SHARES.offer, now),
      candidate: createShares(SHARES.candidate, now),
    };
    byReceiver.set(receiver, all);
    const shares = all[signal];
    const waitMs = shares.waitMs(sharer);
    // A refused signal costs nobody anything.
    if (waitMs === 0) shares.take(sharer);
    return waitMs;
  };
};
