import { sql as expression } from 'drizzle-orm';
import type { Db } from '#src/db/connect.ts';
import { BACKUP_LOCK } from '#src/db/locks.ts';

/**
 * Removes files while no backup runs, because a backup copies the files of its snapshot. The transaction only holds the
 * lock meanwhile: remove few files at a time, and don't query the database, whose other connections may be taken.
 * @returns whether the work ran
 */
export const whileNoBackup = (db: Db, work: () => Promise<void>): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ free: boolean }>(
      expression`select pg_try_advisory_xact_lock_shared(${BACKUP_LOCK}) as free`,
    );
    if (rows[0]?.free !== true) return false;
    await work();
    return true;
  });
