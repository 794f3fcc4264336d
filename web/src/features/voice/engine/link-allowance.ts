import type { Clock } from './platform.ts';

/** Links that may be made with one person at once: three tabs that reload or lose their socket six times in a bad minute. */
export const LINKS_AT_ONCE = 20;
/** One more link after each of these. */
export const LINK_EVERY_MS = 2_000;

/** Limits the links with one person, by all their participants, those who left too: each is a peer connection [LINK12]. */
export interface LinkAllowance {
  /** How long until one more may be made, ms; 0: now. */
  waitMs(person: string): number;
  /** One is made. */
  take(person: string): void;
}

export const createLinkAllowance = (clock: Pick<Clock, 'now'>): LinkAllowance => {
  /** When each person will have all links at once again. Who has them already isn't kept. */
  const usedUntil = new Map<string, number>();
  return {
    waitMs(person) {
      const used = (usedUntil.get(person) ?? clock.now()) - clock.now();
      return Math.max(0, used - (LINKS_AT_ONCE - 1) * LINK_EVERY_MS);
    },
    take(person) {
      const now = clock.now();
      for (const [other, until] of usedUntil) if (until <= now) usedUntil.delete(other);
      usedUntil.set(person, (usedUntil.get(person) ?? now) + LINK_EVERY_MS);
    },
  };
};
