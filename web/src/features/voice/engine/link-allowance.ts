import type { Clock } from './platform.ts';
import type { MediaPeer } from './types.ts';

/** Links that may be made with one person at once: three tabs that reload or lose their socket six times in a bad minute. */
export const LINKS_AT_ONCE = 20;
/** One more link after each of these. */
export const LINK_EVERY_MS = 2_000;

/** All guests of one link together may have so many times what one person may. */
export const GUESTS_TIMES = 4;

/** Whose share a link takes from. */
type Sharer = Pick<MediaPeer, 'person' | 'guestsOf'>;

/**
 * Limits the links with one person, by all their participants, those who left too, and those with all guests of one link: each is a
 * peer connection [LINK12].
 */
export interface LinkAllowance {
  /** How long until one more may be made, ms; 0: now. */
  waitMs(sharer: Sharer): number;
  /** One is made. */
  take(sharer: Sharer): void;
}

export const createLinkAllowance = (clock: Pick<Clock, 'now'>): LinkAllowance => {
  /** When each share will be whole again. One that is isn't kept. */
  const usedUntil = new Map<string, number>();
  return {
    waitMs(sharer) {
      const now = clock.now();
      const waits = sharesOf(sharer).map(
        ({ key, costMs }) => (usedUntil.get(key) ?? now) - now + costMs - LINKS_AT_ONCE * LINK_EVERY_MS,
      );
      return Math.max(0, ...waits);
    },
    take(sharer) {
      const now = clock.now();
      for (const [share, until] of usedUntil) if (until <= now) usedUntil.delete(share);
      for (const { key, costMs } of sharesOf(sharer)) usedUntil.set(key, (usedUntil.get(key) ?? now) + costMs);
    },
  };
};

/** A link's name could be anything, also somebody's id. */
const sharesOf = ({ person, guestsOf = null }: Sharer): readonly { key: string; costMs: number }[] => {
  const own = { key: `person ${person}`, costMs: LINK_EVERY_MS };
  return guestsOf === null ? [own] : [own, { key: `guests ${guestsOf}`, costMs: LINK_EVERY_MS / GUESTS_TIMES }];
};
