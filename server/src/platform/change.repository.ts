import { and, asc, eq, sql as expression } from 'drizzle-orm';
import type { Sql, Tx } from '#src/db/connect.ts';
import { ACCOUNTS_LOCK } from '#src/db/locks.ts';
import { sessions } from '#src/db/schema/sessions.ts';
import { users } from '#src/db/schema/users.ts';
import { isAnyOf } from '#src/shared/list-sql.ts';

/**
 * Serialises changes of accounts, channels and memberships until the transaction ends. Checks over all rows (who is the
 * first account, who is the last administrator) need it, and it rules out deadlocks between changes of several rows.
 */
export const lockAccounts = async (sql: Sql): Promise<void> => {
  await sql.execute(expression`select pg_advisory_xact_lock(${ACCOUNTS_LOCK})`);
};

/**
 * Locks the rows of these users until the transaction ends: `update` before they are deleted, `key share` so that nobody
 * deletes them. Whoever locks several users does so in the order of their ids, or two of them would wait for each other.
 * @returns the ids of those who exist
 */
export const lockUsers = async (
  tx: Tx,
  ids: readonly string[],
  strength: 'update' | 'key share',
): Promise<string[]> => {
  const rows = await tx
    .select({ id: users.id })
    .from(users)
    .where(isAnyOf(users.id, ids))
    .orderBy(asc(users.id))
    .for(strength);
  return rows.map(({ id }) => id);
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
