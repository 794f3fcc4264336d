import { sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';

/** Steady clocks drift apart by less than this, ms per ms. A measurement is replaced when the new one is surer despite drift. */
const DRIFT = 0.0005;

/** A server's clock as this process estimates it between two answers, ms since 1970. */
interface FarClock {
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

/** How often a process compares its time with the database's, ms. */
export const CLOCK_EVERY_MS = 5_000;
/** Questions at the start. The one that is answered soonest tells the time best. */
const FIRST_QUESTIONS = 3;
/** The largest correction, ms. The time stands still for that long, and never goes back. More means that the clock was set. */
const CORRECTION_MAX_MS = 1_000;

/** The time of a server on the network. */
export interface FollowedClock {
  now(): Date;
  /** Asks the server. Between two answers the time is reckoned by the steady clock. */
  ask(): Promise<void>;
}

/** The time by the database's clock, ms since 1970. */
export async function databaseTime(sql: Sql): Promise<number> {
  const { rows } = await sql.execute<{ now: number }>(
    expression`select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
  );
  return rows[0]?.now ?? Number.NaN;
}

/**
 * Follows the clock of a server that several processes ask. So they mean the same moment, whatever the clocks of their own
 * machines show [PROC92].
 * @param readTime asks the server, ms since 1970
 * @param steadyNow a monotonic clock, ms
 */
export async function followClock(readTime: () => Promise<number>, steadyNow: () => number): Promise<FollowedClock> {
  const far = createFarClock(steadyNow);
  let last = 0;
  const ask = async (): Promise<void> => {
    const askedAt = steadyNow();
    far.learn(askedAt, await readTime());
  };
  for (let count = 0; count < FIRST_QUESTIONS; count += 1) await ask();
  return {
    now() {
      const time = far.now();
      last = last - time > CORRECTION_MAX_MS ? time : Math.max(last, time);
      return new Date(last);
    },
    ask,
  };
}
