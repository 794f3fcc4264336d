import { asc, count, eq, sql as expression, inArray } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';

export type UserRow = typeof users.$inferSelect;
export type NewUser = typeof users.$inferInsert;
export type SocketRow = Pick<typeof userSockets.$inferSelect, 'userId' | 'channelId' | 'socketId'>;

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

/** Changes what is given. @returns whether there was such a user */
export const updateUserRow = async (
  sql: Sql,
  id: string,
  change: Partial<Omit<NewUser, 'id' | 'identifier' | 'createdAt'>>,
): Promise<boolean> => {
  const rows = await sql.update(users).set(change).where(eq(users.id, id)).returning({ id: users.id });
  return rows.length > 0;
};

/** @returns whether there was such a user. Sessions, memberships and sockets go with it. */
export const deleteUserRow = async (sql: Sql, id: string): Promise<boolean> => {
  const rows = await sql.delete(users).where(eq(users.id, id)).returning({ id: users.id });
  return rows.length > 0;
};

export const countAdmins = async (sql: Sql): Promise<number> => {
  const [row] = await sql.select({ total: count() }).from(users).where(eq(users.role, 'admin'));
  return row?.total ?? 0;
};

/** By last name, then first name, without regard to case. */
export const listUsers = (sql: Sql): Promise<UserRow[]> =>
  sql
    .select()
    .from(users)
    .orderBy(asc(expression`lower(${users.lastName})`), asc(expression`lower(${users.firstName})`), asc(users.id));

/** Live sockets of these users, or of everybody when no list is given. */
export const listSockets = (sql: Sql, userIds?: readonly string[]): Promise<SocketRow[]> => {
  const columns = { userId: userSockets.userId, channelId: userSockets.channelId, socketId: userSockets.socketId };
  const query = sql.select(columns).from(userSockets);
  return userIds === undefined ? query : query.where(inArray(userSockets.userId, [...userIds]));
};

/** Serialises what must see all accounts, such as deciding who is the first. Held until the transaction ends. */
export const lockAccounts = async (sql: Sql): Promise<void> => {
  await sql.execute(expression`select pg_advisory_xact_lock(7225311)`);
};
