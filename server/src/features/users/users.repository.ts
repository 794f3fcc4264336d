import { count, eq, sql as expression } from 'drizzle-orm';
import { lockUsers } from '#src/accounts/users.repository.ts';
import type { Sql } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { channelMembers } from '#src/db/schema/channels.ts';
import { users } from '#src/db/schema/users.ts';
import type { ChangeTx } from '#src/history/change.ts';

export type UserRow = typeof users.$inferSelect;
export type NewUser = typeof users.$inferInsert;
export type DeletedUser = Pick<UserRow, 'id' | 'identifier' | 'firstName' | 'lastName' | 'pseudo' | 'role'> & {
  channels: number;
};

export const hasUsers = async (sql: Sql): Promise<boolean> => {
  const { rows } = await sql.execute<{ found: boolean }>(expression`select exists (select from ${users}) as found`);
  return rows[0]?.found ?? false;
};

export const insertUser = async (sql: ChangeTx, user: NewUser): Promise<void> => {
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

/** Roles by user id; unknown ids have no entry. */
export const rolesOf = async (sql: Sql, ids: readonly string[]): Promise<Map<string, UserRow['role']>> => {
  const rows = await sql.select({ id: users.id, role: users.role }).from(users).where(isAnyOf(users.id, ids));
  return new Map(rows.map(({ id, role }) => [id, role]));
};

/** Changes the given columns and increments the version. @returns whether the user exists */
export const updateUserRow = async (
  sql: ChangeTx,
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

/** Gives these users access to the map, or revokes it. @returns those who did not have it, or had it */
export const setMapRights = (sql: ChangeTx, ids: readonly string[], mapRight: boolean) => {
  const { id, firstName, lastName, pseudo } = users;
  return sql
    .update(users)
    .set({ mapRight, version: expression`${users.version} + 1` })
    .where(expression`${isAnyOf(users.id, ids)} and ${users.mapRight} <> ${mapRight}`)
    .returning({ id, firstName, lastName, pseudo });
};

/**
 * Deletes users with their sessions, memberships and sockets. Their history is deleted afterwards (`erasures`).
 * @returns those who existed, and in how many channels
 */
export const deleteUserRows = async (sql: ChangeTx, ids: readonly string[]): Promise<DeletedUser[]> => {
  await lockUsers(sql, ids, 'update');
  const memberships = await sql
    .select({ userId: channelMembers.userId, channels: count() })
    .from(channelMembers)
    .where(isAnyOf(channelMembers.userId, ids))
    .groupBy(channelMembers.userId);
  const channelsOf = new Map(memberships.map(({ userId, channels }) => [userId, channels]));
  const { id, identifier, firstName, lastName, pseudo, role } = users;
  const rows = await sql
    .delete(users)
    .where(isAnyOf(users.id, ids))
    .returning({ id, identifier, firstName, lastName, pseudo, role });
  return rows.map((row) => ({ ...row, channels: channelsOf.get(row.id) ?? 0 }));
};

export const countAdmins = async (sql: Sql): Promise<number> => {
  const [row] = await sql.select({ total: count() }).from(users).where(eq(users.role, 'admin'));
  return row?.total ?? 0;
};
