import { sql } from 'drizzle-orm';
import type pg from 'pg';
import type { Db } from './connect.ts';
import { DatabaseStartError } from './embedded/start-error.ts';
import { MIGRATION_LOCK } from './locks.ts';

/** Table of files that a restore replaces together with its rows, until they are in the store. No backup holds it. */
const MARK = 'drizzle.files_to_store';
/** Table of earlier versions, which swapped folders instead. */
const EARLIER_MARK = 'drizzle.restored_files';

/** Call this within a restore's transaction: the files change with its rows, or at the next start. */
export async function expectFiles(
  client: pg.Client,
  files: readonly { name: string; content: Uint8Array }[],
): Promise<void> {
  await client.query(`create table ${MARK} (name text primary key, content bytea not null)`);
  for (const { name, content } of files) await client.query(`insert into ${MARK} values ($1, $2)`, [name, content]);
}

/** Whether a restore ended before it replaced its files. */
export async function hasRestoredFiles(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ isThere: boolean }>(
    'select coalesce(to_regclass($1), to_regclass($2)) is not null as "isThere"',
    [MARK, EARLIER_MARK],
  );
  return rows[0]?.isThere === true;
}

/**
 * Ends a restore that was interrupted after its rows were stored. Nobody reads those rows before the files are replaced, too.
 * @throws DatabaseStartError when an earlier version was interrupted
 */
export async function takeRestoredFiles(
  db: Db,
  put: (name: string, content: Uint8Array) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Processes that share a database also share its files.
    await tx.execute(sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
    const { rows: marks } = await tx.execute<{ now: string | null; earlier: string | null }>(
      sql`select to_regclass(${MARK})::text as now, to_regclass(${EARLIER_MARK})::text as earlier`,
    );
    if (marks[0]?.earlier != null) {
      throw new DatabaseStartError(
        'A restore by an earlier Pressel was interrupted. Restore the backup again, with --replace.',
      );
    }
    if (marks[0]?.now == null) return;
    const { rows } = await tx.execute<{ name: string; content: Buffer }>(sql.raw(`select name, content from ${MARK}`));
    for (const { name, content } of rows) await put(name, content);
    await tx.execute(sql.raw(`drop table ${MARK}`));
  });
}
