import { and, eq, sql as expression } from 'drizzle-orm';
import type { Db } from '#src/db/connect.ts';
import { jobs } from '#src/db/schema/server.ts';

const NOW = expression`clock_timestamp()`;
const inMs = (ms: number) => expression`clock_timestamp() + ${ms} * interval '1 millisecond'`;

/**
 * Takes a job for a process, unless it is under way, or began less than `restMs` ago.
 * @returns whether the process has it now
 */
export async function takeJob(
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
export async function keepJob(db: Db, name: string, owner: string, leaseMs: number): Promise<boolean> {
  const { rowCount } = await db
    .update(jobs)
    .set({ leaseUntil: inMs(leaseMs) })
    .where(isOwnJob(name, owner));
  return rowCount !== 0;
}

/** @param isDone false: another process should do the rest */
export async function leaveJob(db: Db, name: string, owner: string, isDone: boolean): Promise<void> {
  await db
    .update(jobs)
    .set({ leaseUntil: NOW, ...(isDone ? {} : { begunAt: expression`'-infinity'::timestamptz` }) })
    .where(isOwnJob(name, owner));
}
