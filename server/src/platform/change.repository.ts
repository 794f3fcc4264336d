import { and, eq, sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { sessions } from '#src/db/schema/sessions.ts';
import { users } from '#src/db/schema/users.ts';

/**
 * Makes changes of accounts, channels and memberships come one after the other: for what must see all of them, such as
 * deciding who is the first, and so that two changes of several rows never wait for each other. Held until the
 * transaction ends.
 */
export const lockAccounts = async (sql: Sql): Promise<void> => {
  await sql.execute(expression`select pg_advisory_xact_lock(7225311)`);
};

/** The role that the user of this session has now; null when one of them is no more. */
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
