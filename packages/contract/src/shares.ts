/** How much one person may use: `atOnce`, and one more after each `everyMs`. */
export interface Share {
  atOnce: number;
  everyMs: number;
}

/** Somebody who uses a share: a person, by all of their sockets and links; a guest, who also counts as one of their link's guests. */
export interface Sharer {
  person: string;
  guestsOf?: string | null | undefined;
}

/**
 * All guests of one link together may use this many times what one person may. So one guest alone can't use it up, and somebody who comes
 * again and again as another guest gets no more than it.
 */
export const GUESTS_TIMES = 4;

/** Counts what each person has used, until their share is full again, even if they are gone (GCRA, ITU-T I.371). */
export interface Shares {
  /** Returns how long to wait until one more may be used, ms; 0: now. */
  waitMs(sharer: Sharer): number;
  /** Counts one use, whether or not it is allowed. */
  take(sharer: Sharer): void;
}

/** The parts that a use takes from. A link's name could be anything, even somebody's id. */
const partsOf = ({ person, guestsOf = null }: Sharer): readonly { key: string; times: number }[] => {
  const own = { key: `person ${person}`, times: 1 };
  return guestsOf === null ? [own] : [own, { key: `guests ${guestsOf}`, times: GUESTS_TIMES }];
};

/**
 * Keeps the time until which each part is used, and nothing for a part that is full again.
 * @param now a monotonic clock, ms
 */
export const createShares = ({ atOnce, everyMs }: Share, now: () => number): Shares => {
  const usedUntil = new Map<string, number>();
  let sweptAt = now();
  /** Not at each use: thousands come back at once. */
  const sweep = (time: number): void => {
    if (time - sweptAt < everyMs) return;
    sweptAt = time;
    for (const [key, until] of usedUntil) if (until <= time) usedUntil.delete(key);
  };
  const usedFrom = (key: string, time: number): number => Math.max(time, usedUntil.get(key) ?? time);
  return {
    waitMs(sharer) {
      const time = now();
      const waits = partsOf(sharer).map(
        ({ key, times }) => usedFrom(key, time) - time + everyMs / times - atOnce * everyMs,
      );
      return Math.max(0, ...waits);
    },
    take(sharer) {
      const time = now();
      sweep(time);
      for (const { key, times } of partsOf(sharer)) usedUntil.set(key, usedFrom(key, time) + everyMs / times);
    },
  };
};
