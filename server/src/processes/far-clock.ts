/** Steady clocks drift apart by less than this, ms per ms. A measurement is replaced when the new one is surer despite drift. */
const DRIFT = 0.0005;

/** A server's clock as this process estimates it between two answers, ms since 1970. */
export interface FarClock {
  now(): number;
  /** Whether there has been an answer. */
  isKnown(): boolean;
  /** Learns from an answer: what the clock showed, and when the question was asked. */
  learn(askedAt: number, said: number): void;
}

/** @param steadyNow a monotonic clock, ms */
export function createFarClock(steadyNow: () => number): FarClock {
  /** `ahead`: offset from the steady clock. `error`: how far that offset may be wrong. */
  let best = { ahead: 0, error: Number.POSITIVE_INFINITY, at: 0 };
  return {
    now: () => steadyNow() + best.ahead,
    isKnown: () => best.error < Number.POSITIVE_INFINITY,
    learn(askedAt, said) {
      const now = steadyNow();
      // The clock was read at some time between the question and the answer.
      const error = (now - askedAt) / 2;
      const ahead = said - (askedAt + error);
      const doubt = best.error + (now - best.at) * DRIFT;
      // If both can't be true, the clock was set.
      const isSet = Math.abs(ahead - best.ahead) > error + doubt + 1;
      if (error <= doubt || isSet) best = { ahead, error, at: now };
    },
  };
}
