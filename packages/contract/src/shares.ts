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

/** What a use takes from. A link's name could be anything, also somebody's id. */
const partsOf = ({ person, guestsOf = null }: Sharer): readonly { key: string; times: number }[] => {
  const own = { key: `person ${person}`, times: 1 };
  return guestsOf === null ? [own] : [own, { key: `guests ${guestsOf}`, times: GUESTS_TIMES }];
};

/**
 * Keeps until when each part is used; of one that is whole again nothing.
 * @param now a monotonic clock, ms
 */
export const createShares = ({ atOnce, everyMs }: Share, now: () => number): Shares => {
  const usedUntil = new Map<string, number>();
  return {
    waitMs(sharer) {
      const time = now();
      const waits = partsOf(sharer).map(
        ({ key, times }) => (usedUntil.get(key) ?? time) - time + everyMs / times - atOnce * everyMs,
      );
      return Math.max(0, ...waits);
    },
    take(sharer) {
      const time = now();
      for (const [key, until] of usedUntil) if (until <= time) usedUntil.delete(key);
      for (const { key, times } of partsOf(sharer)) usedUntil.set(key, (usedUntil.get(key) ?? time) + everyMs / times);
    },
  };
};
