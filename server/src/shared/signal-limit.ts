import { GATHERING_MAX_CANDIDATES } from '@pressel/contract/limits';
import { createShares, type Share, type Sharer, type Shares } from '@pressel/contract/shares';
import type { Socket } from './gateway.ts';

/** Signals that are limited. Answers are not: a page reads one for each of its own offers, and ignores all others. */
export type Limited = 'offer' | 'candidate';

const SHARES: Readonly<Record<Limited, Share>> = {
  /**
   * Each offer costs the receiver a negotiation. Three tabs of one person that lose their socket every ten seconds, or whose
   * links all restart every five, stay below it.
   */
  offer: { atOnce: 20, everyMs: 1_000 },
  /**
   * Each candidate has the receiver's browser send checks to an address that the sender chose. Each offer or answer is followed
   * by one gathering. Three such tabs gather six times at once, and then six times in ten seconds; this is ten times at
   * once, and then once in 1.2 s.
   */
  candidate: { atOnce: 10 * GATHERING_MAX_CANDIDATES, everyMs: 1_200 / GATHERING_MAX_CANDIDATES },
};

/** Counts a signal, unless it is too much. @returns how long until one more is relayed, ms; 0: it is relayed */
export type LimitSignals = (signal: Limited, sharer: Sharer, receiver: Socket) => number;

/** Who shares with whom in the limits: a person, and all guests of one link. */
export const sharerOf = ({ data: { session } }: Pick<Socket, 'data'>): Sharer => ({
  person: session.userId,
  guestsOf: session.guest?.linkId,
});

/**
 * Limits the offers and candidates of one person, and of all guests of one link, to each socket [LINK11] [LINK13].
 * @param now a monotonic clock, ms
 */
export const createSignalLimit = (now: () => number): LimitSignals => {
  // By the receiver's socket, not its id, so that nothing is kept of who left or never was.
  const byReceiver = new WeakMap<Socket, Record<Limited, Shares>>();
  return (signal, sharer, receiver) => {
    const all = byReceiver.get(receiver) ?? {
      offer: createShares(SHARES.offer, now),
      candidate: createShares(SHARES.candidate, now),
    };
    byReceiver.set(receiver, all);
    const shares = all[signal];
    const waitMs = shares.waitMs(sharer);
    // What is refused costs nobody anything.
    if (waitMs === 0) shares.take(sharer);
    return waitMs;
  };
};
