import { and, count, eq, sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { sessions } from '#src/db/schema/sessions.ts';
import { users } from '#src/db/schema/users.ts';
import { isAnyOf } from '#src/shared/list-sql.ts';

export type UserRow = typeof users.$inferSelect;
export type NewUser = typeof users.$inferInsert;

export const countUsers = async (sql: Sql): Promise<number> => {
  const [row] = await sql.select({ total: count() }).from(users);
  return row?.total ?? 0;
};

export const insertUser = async (sql: Sql, user: NewUser): Promise<void> => {
  await sql.insert(users).values(user);
};

export const findUserByLogin = async (sql: Sql, login: string): Promise<UserRow | null> => {
  const [row] = await sql
    .select()
    .from(users)
    .where(eq(expression`lower(${users.identifier})`, expression`lower(${login})`));
  return row ?? null;
};

export const findUser = async (sql: Sql, id: string): Promise<UserRow | null> => {
  const [row] = await sql.select().from(users).where(eq(users.id, id));
  return row ?? null;
};

/** The roles of those of these users that there are. */
export const rolesOf = async (sql: Sql, ids: readonly string[]): Promise<Map<string, UserRow['role']>> => {
  const rows = await sql.select({ id: users.id, role: users.role }).from(users).where(isAnyOf(users.id, ids));
  return new Map(rows.map(({ id, role }) => [id, role]));
};

/** The role that the user of this session has now; null when one of them is no more. */
export const roleInSession = async (
  sql: Sql,
  session: { id: string; userId: string },
): Promise<UserRow['role'] | null> => {
  const [row] = await sql
    .select({ role: users.role })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.id, session.id), eq(users.id, session.userId)));
  return row?.role ?? null;
};

/** Changes what is given, and counts it as a change. @returns whether there was such a user */
export const updateUserRow = async (
  sql: Sql,
  id: string,
  change: Partial<Omit<NewUser, 'id' | 'identifier' | 'createdAt' | 'version'>>,
): Promise<boolean> => {
  const rows = await sql
    .update(users)
    .set({ ...change, version: expression`${users.version} + 1` })
    .where(eq(users.id, id))
    .returning({ id: users.id });
  return rows.length > 0;
};

/** Gives these users access to the map, or takes it. */
export const setMapRights = async (sql: Sql, ids: readonly string[], mapRight: boolean): Promise<void> => {
  await sql
    .update(users)
    .set({ mapRight, version: expression`${users.version} + 1` })
    .where(expression`${isAnyOf(users.id, ids)} and ${users.mapRight} <> ${mapRight}`);
};

/** @returns which of these there were. Sessions, memberships and sockets go with them. */
export const deleteUserRows = async (sql: Sql, ids: readonly string[]): Promise<string[]> => {
  const rows = await sql.delete(users).where(isAnyOf(users.id, ids)).returning({ id: users.id });
  return rows.map(({ id }) => id);
};

export const countAdmins = async (sql: Sql): Promise<number> => {
  const [row] = await sql.select({ total: count() }).from(users).where(eq(users.role, 'admin'));
  return row?.total ?? 0;
};

/**
 * Makes changes of accounts and memberships come one after the other: for what must see all of them, such as deciding
 * who is the first, and so that two changes of several rows never wait for each other. Held until the transaction ends.
 */
export const lockAccounts = async (sql: Sql): Promise<void> => {
  await sql.execute(expression`select pg_advisory_xact_lock(7225311)`);
};
