import { and, eq, sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { ACCOUNTS_LOCK } from '#src/db/locks.ts';
import { sessions } from '#src/db/schema/sessions.ts';
import { users } from '#src/db/schema/users.ts';

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

/** The current role of the session's user; null when session or user no longer exist. */
export const roleInSession = async (
  sql: Sql,
  session: { id: string; userId: string },
): Promise<'admin' | 'member' | null> => {
  const [row] = await sql
    .select({ role: users.role })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.id, session.id), eq(users.id, session.userId)));
  return row?.role ?? null;
};
