/** A better measurement replaces one that may have drifted this far since, ms per ms: steady clocks differ by less. */
const DRIFT = 0.0005;

/** The clock of a server as this process reckons it between two answers, ms since 1970. */
export interface FarClock {
  now(): number;
  /** Whether there was an answer. */
  isKnown(): boolean;
  /** Takes note of what the clock said in an answer to a question of this moment. */
  learn(askedAt: number, said: number): void;
}

/** @param steadyNow a monotonic clock, ms */
export function createFarClock(steadyNow: () => number): FarClock {
  /** `ahead`: of the steady clock. `error`: how much too much or too little it may be. */
  let best = { ahead: 0, error: Number.POSITIVE_INFINITY, at: 0 };
  return {
    now: () => steadyNow() + best.ahead,
    isKnown: () => best.error < Number.POSITIVE_INFINITY,
    learn(askedAt, said) {
      const now = steadyNow();
      // It was read at some time between the question and the answer.
      const error = (now - askedAt) / 2;
      const ahead = said - (askedAt + error);
      const doubt = best.error + (now - best.at) * DRIFT;
      // Where both can't be true the clock was set.
      const isSet = Math.abs(ahead - best.ahead) > error + doubt + 1;
      if (error <= doubt || isSet) best = { ahead, error, at: now };
    },
  };
}
