import { sql as expression } from 'drizzle-orm';
import type { Db } from '#src/db/connect.ts';
import { BACKUP_LOCK } from '#src/db/locks.ts';

/**
 * Removes files while no backup runs, which copies those of the rows that it has. The transaction idles meanwhile, for the
 * lock's sake: remove few at a time, and ask the database for nothing, whose other connections may be taken.
 * @returns whether it was done
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
