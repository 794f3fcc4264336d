import { sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { createFarClock } from './far-clock.ts';

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
