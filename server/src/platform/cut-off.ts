import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import * as z from 'zod';
import type { Database } from '#src/db/connect.ts';
import type { AskAll } from '#src/processes/process-queries.ts';
import type { Schedule } from '#src/processes/schedule.ts';
import type { Sockets } from '#src/sockets/sockets.ts';

/** How often a process looks whether it reaches the database, ms. */
const LOOK_MS = 1_000;
/** How long its own new connection may take to show that PostgreSQL is back, ms. */
const PROOF_MS = 1_500;

export interface CutOffDeps {
  database: Pick<Database, 'isReached' | 'ping'>;
  /** Whether this process takes clients in. */
  isServing(): boolean;
  askAll: AskAll;
  sockets: Pick<Sockets, 'sendBack'>;
  schedule: Pick<Schedule, 'every'>;
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>;
}

/** Whether this process alone has lost the database. */
export interface CutOff {
  /** True: newcomers are sent to another process. */
  readonly isOn: boolean;
}

/**
 * A process that has lost the database asks the others whether they reach it. If one does, this one sends its clients there, and refuses
 * newcomers until it is back itself (PROC111). If none does, clients stay: nobody could take them in.
 */
export function watchCutOff({ database, isServing, askAll, sockets, schedule, log }: CutOffDeps): CutOff {
  let isOn = false;
  /** A connection that was only interrupted is back before the second look. */
  let looksInVain = 0;
  /** Resolves when PostgreSQL answers. Otherwise it never does, and the answer of another process counts. */
  const reached = () => database.ping().then(YES, () => NEVER);
  const isReachedByAny = askAll('database_reached', z.null(), () =>
    database.isReached() && isServing() ? reached() : null,
  );
  const look = async (): Promise<void> => {
    if (database.isReached()) {
      if (isOn) log.info('database_reached_again');
      looksInVain = 0;
      isOn = false;
      return;
    }
    looksInVain += 1;
    if (isOn || looksInVain < 2) return;
    // Only the connection of the lock may be lost, or this process may be about to take it again, as after a restart of PostgreSQL.
    if (await Promise.race([reached(), sleep(PROOF_MS, false)])) return;
    // Without Redis nobody answers.
    if ((await isReachedByAny(null).catch(() => null)) !== true) return;
    log.warn('cut_off_from_database');
    isOn = true;
    await sockets.sendBack();
  };
  schedule.every(LOOK_MS, 'cut_off_look', look, { by: 'each' });
  return {
    get isOn() {
      return isOn;
    },
  };
}

const YES = () => true;
const NEVER = new Promise<never>(() => undefined);
