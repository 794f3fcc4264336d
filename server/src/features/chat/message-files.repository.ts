import { eq, sql as expression } from 'drizzle-orm';
import type { Db, Sql } from '#src/db/connect.ts';
import { BACKUP_LOCK } from '#src/db/locks.ts';
import { messageFiles } from '#src/db/schema/messages.ts';
import { arrayOf } from '#src/shared/list-sql.ts';

export const findFile = async (sql: Sql, storedName: string): Promise<{ fileName: string } | null> => {
  const [row] = await sql
    .select({ fileName: messageFiles.fileName })
    .from(messageFiles)
    .where(eq(messageFiles.storedName, storedName));
  return row ?? null;
};

/** Those of these names that a message has. */
export const knownNames = async (sql: Sql, storedNames: readonly string[]): Promise<Set<string>> => {
  const rows = await sql
    .select({ storedName: messageFiles.storedName })
    .from(messageFiles)
    .where(expression`${messageFiles.storedName} = any(${arrayOf('text', storedNames)})`);
  return new Set(rows.map(({ storedName }) => storedName));
};

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
