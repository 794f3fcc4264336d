/** What one person may use: `atOnce`, and one more after each `everyMs`. */
export interface Share {
  atOnce: number;
  everyMs: number;
}

/** Who uses: a person, by all of their sockets and links; a guest, also as one of all guests of their link. */
export interface Sharer {
  person: string;
  guestsOf?: string | null | undefined;
}

/**
 * All guests of one link together may use so many times what one person may: one alone can't use it up, and whoever comes again and
 * again as another guest gets no more than it.
 */
export const GUESTS_TIMES = 4;

/** Counts what each person has used, those who are gone too, until it has grown again (GCRA, ITU-T I.371). */
export interface Shares {
  /** How long until one more may be used, ms; 0: now. */
  waitMs(sharer: Sharer): number;
  /** One is used, whether or not it may be. */
  take(sharer: Sharer): void;
}

/** @param now a monotonic clock, ms */
export const createShares = ({ atOnce, everyMs }: Share, now: () => number): Shares => {
  /** When each share will be whole again. One that is isn't kept. */
  const usedUntil = new Map<string, number>();

  /** A link's name could be anything, also somebody's id. */
  const partsOf = ({ person, guestsOf = null }: Sharer): readonly { key: string; costMs: number }[] => {
    const own = { key: `person ${person}`, costMs: everyMs };
    return guestsOf === null ? [own] : [own, { key: `guests ${guestsOf}`, costMs: everyMs / GUESTS_TIMES }];
  };

  return {
    waitMs(sharer) {
      const time = now();
      const waits = partsOf(sharer).map(
        ({ key, costMs }) => (usedUntil.get(key) ?? time) - time + costMs - atOnce * everyMs,
      );
      return Math.max(0, ...waits);
    },
    take(sharer) {
      const time = now();
      for (const [key, until] of usedUntil) if (until <= time) usedUntil.delete(key);
      for (const { key, costMs } of partsOf(sharer)) usedUntil.set(key, (usedUntil.get(key) ?? time) + costMs);
    },
  };
};
