import { setTimeout as sleep } from 'node:timers/promises';
import { and, eq, sql as expression } from 'drizzle-orm';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '#src/db/connect.ts';
import { jobs } from '#src/db/schema/server.ts';

const NOW = expression`clock_timestamp()`;
const inMs = (ms: number) => expression`clock_timestamp() + ${ms} * interval '1 millisecond'`;

/**
 * Takes a job for a process, unless it is under way, or began less than `restMs` ago.
 * @returns whether the process has it now
 */
async function takeJob(
  db: Db,
  { name, owner, restMs, leaseMs }: { name: string; owner: string; restMs: number; leaseMs: number },
): Promise<boolean> {
  const times = { begunAt: NOW, leaseUntil: inMs(leaseMs) };
  const rows = await db
    .insert(jobs)
    .values({ name, owner, ...times })
    .onConflictDoUpdate({
      target: jobs.name,
      set: { owner, ...times },
      setWhere: expression`${jobs.leaseUntil} <= ${NOW} and ${jobs.begunAt} <= ${inMs(-restMs)}`,
    })
    .returning({ name: jobs.name });
  return rows.length > 0;
}

const isOwnJob = (name: string, owner: string) => and(eq(jobs.name, name), eq(jobs.owner, owner));

/** @returns false: another process has taken it */
async function keepJob(db: Db, name: string, owner: string, leaseMs: number): Promise<boolean> {
  const { rowCount } = await db
    .update(jobs)
    .set({ leaseUntil: inMs(leaseMs) })
    .where(isOwnJob(name, owner));
  return rowCount !== 0;
}

/** @param isDone false: another process should do the rest */
async function leaveJob(db: Db, name: string, owner: string, isDone: boolean): Promise<void> {
  await db
    .update(jobs)
    .set({ leaseUntil: NOW, ...(isDone ? {} : { begunAt: expression`'-infinity'::timestamptz` }) })
    .where(isOwnJob(name, owner));
}

/** The longest rest between two parts of long work, ms. */
const REST_MAX_MS = 1_000;

/**
 * Long work calls this before each of its parts. It rests for as long as the last part took, so that other users of the
 * database get their turn. False: the server is stopping, and the work should end.
 */
export type GoesOn = () => Promise<boolean>;

/** A periodic job. */
export interface Job {
  /** Runs the work now, or once more after the run that is under way. */
  soon(): void;
}

/** `each`: every process runs the job for what it holds itself. `one`: one process runs it for all of them (PROC31). */
export interface JobOptions {
  by: 'each' | 'one';
}

/** Periodic jobs. */
export interface Schedule {
  /** Runs `work` every `ms`, skipping ticks while it is still running. Failures are logged as `<name>_failed`. */
  every(ms: number, name: string, work: (goesOn: GoesOn) => Promise<void> | void, options: JobOptions): Job;
  /** Stops the timers, ends running work before its next part, and waits for it. */
  close(): Promise<void>;
}

/** Decides which of several processes does a job. */
export interface JobOwners {
  /** @returns false: another process is doing it, or did it within `restMs` */
  take(name: string, restMs: number): Promise<boolean>;
  /** @returns false: another process has taken it */
  keep(name: string): Promise<boolean>;
  leave(name: string, isDone: boolean): Promise<void>;
}

/** A job is free when its process gave no sign of life for this long, ms. */
const JOB_LEASE_MS = 30_000;
const KEEP_MS = JOB_LEASE_MS / 3;
/** Timers are not exact: a job counts as due after this part of its interval. */
const DUE_PART = 0.9;

/** @param isEnding whether this process is about to stop: then it begins nothing that another one can do */
export const createJobOwners = (db: Db, owner: string, isEnding: () => boolean): JobOwners => ({
  take: async (name, restMs) => !isEnding() && takeJob(db, { name, owner, restMs, leaseMs: JOB_LEASE_MS }),
  keep: (name) => keepJob(db, name, owner, JOB_LEASE_MS),
  leave: (name, isDone) => leaveJob(db, name, owner, isDone),
});

/** @param owners null: there is no other process */
export function createSchedule(log: FastifyBaseLogger, owners: JobOwners | null): Schedule {
  const ending = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const running = new Set<Promise<void>>();

  /** @returns whether it was done, here or elsewhere */
  async function asOwner(name: string, restMs: number, work: (ending: AbortSignal) => Promise<void>): Promise<boolean> {
    if (owners === null) {
      await work(ending.signal);
      return true;
    }
    if (!(await owners.take(name, restMs))) return false;
    const lost = new AbortController();
    const keep = () =>
      owners.keep(name).then(
        (isOurs) => isOurs || lost.abort(),
        // The lease is still valid; the next attempt may reach the database.
        (error: unknown) => log.warn({ err: error, job: name }, 'job_not_kept'),
      );
    const keeping = setInterval(keep, KEEP_MS);
    try {
      await work(AbortSignal.any([ending.signal, lost.signal]));
    } finally {
      clearInterval(keeping);
      await owners.leave(name, !ending.signal.aborted);
    }
    return true;
  }

  return {
    every(ms, name, work, { by }) {
      let isRunning = false;
      /** Whether it must run however recently it ran: now, and at the next tick. */
      let isWanted = false;
      let isDue = false;
      const begin = (): void => {
        if (isRunning || ending.signal.aborted) return;
        isRunning = true;
        const restMs = isWanted ? 0 : ms * DUE_PART;
        isWanted = false;
        const run: Promise<void> = (async () => {
          const goOn = async (signal: AbortSignal) => work(createPace(signal));
          if (by === 'each') await goOn(ending.signal);
          // Another process is running it, and may have passed the part that is wanted: look again at the next tick.
          else if (!(await asOwner(name, restMs, goOn))) isDue ||= restMs === 0;
        })()
          .catch((error: unknown) => log.error({ err: error }, `${name}_failed`))
          .finally(() => {
            running.delete(run);
            isRunning = false;
            if (isWanted) begin();
          });
        running.add(run);
      };
      const tick = (): void => {
        isWanted ||= isDue;
        isDue = false;
        begin();
      };
      timers.push(setInterval(tick, ms));
      return {
        soon() {
          isWanted = true;
          begin();
        },
      };
    },
    async close() {
      ending.abort();
      for (const timer of timers) clearInterval(timer);
      await Promise.all(running);
    },
  };
}

function createPace(ending: AbortSignal): GoesOn {
  let begunAt: number | null = null;
  return async () => {
    if (begunAt !== null) {
      const tookMs = performance.now() - begunAt;
      await sleep(Math.min(tookMs, REST_MAX_MS), undefined, { signal: ending }).catch(() => undefined);
    }
    begunAt = performance.now();
    return !ending.aborted;
  };
}
