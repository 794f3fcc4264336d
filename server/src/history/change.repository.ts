import { sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { ACCOUNTS_LOCK } from '#src/db/locks.ts';

/** PostgreSQL ends a change that sends nothing for this long, ms. Others wait longer for their turn than that (PROC94). */
const SILENCE_MAX_MS = 5_000;

/**
 * Serialises changes of accounts, channels and memberships until the transaction ends. Checks over all rows (the first
 * account, the last administrator) need it, and it rules out deadlocks between changes of several rows.
 */
export const lockAccounts = async (sql: Sql): Promise<void> => {
  await sql.execute(expression`
    select set_config('idle_in_transaction_session_timeout', ${String(SILENCE_MAX_MS)}, true),
      pg_advisory_xact_lock(${ACCOUNTS_LOCK})`);
};
