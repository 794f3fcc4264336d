import { and, asc, eq, inArray, lt, ne, notInArray, or } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';

export type SocketRow = typeof userSockets.$inferSelect;
export type Occupant = Pick<typeof users.$inferSelect, 'firstName' | 'lastName' | 'pseudo' | 'role'> & {
  socketId: string;
  userId: string;
};

export const insertSocket = async (
  sql: Sql,
  socket: Pick<SocketRow, 'socketId' | 'userId' | 'sessionId' | 'serverId' | 'seenAt'>,
): Promise<void> => {
  await sql.insert(userSockets).values(socket);
};

export const deleteSocket = async (sql: Sql, socketId: string): Promise<void> => {
  await sql.delete(userSockets).where(eq(userSockets.socketId, socketId));
};

export const setRoom = async (sql: Sql, socketId: string, channelId: string | null, joinedAt: Date): Promise<void> => {
  await sql
    .update(userSockets)
    .set({ channelId, joinedAt: channelId === null ? null : joinedAt })
    .where(eq(userSockets.socketId, socketId));
};

/** Who is in a room, in order of arrival. */
export const listOccupants = (sql: Sql, channelId: string): Promise<Occupant[]> =>
  sql
    .select({
      socketId: userSockets.socketId,
      userId: userSockets.userId,
      firstName: users.firstName,
      lastName: users.lastName,
      pseudo: users.pseudo,
      role: users.role,
    })
    .from(userSockets)
    .innerJoin(users, eq(users.id, userSockets.userId))
    .where(eq(userSockets.channelId, channelId))
    .orderBy(asc(userSockets.joinedAt), asc(userSockets.socketId));

/** How many live sockets a user has. */
export const countSocketsOf = async (sql: Sql, userId: string): Promise<number> =>
  (await sql.select({ id: userSockets.socketId }).from(userSockets).where(eq(userSockets.userId, userId))).length;

/** Says that these sockets of a process are alive, and takes away those of its rows that are not. */
export const refreshSockets = async (
  sql: Sql,
  serverId: string,
  liveIds: readonly string[],
  now: Date,
): Promise<void> => {
  const mine = eq(userSockets.serverId, serverId);
  if (liveIds.length > 0) {
    await sql
      .update(userSockets)
      .set({ seenAt: now })
      .where(and(mine, inArray(userSockets.socketId, [...liveIds])));
    await sql
      .delete(userSockets)
      .where(and(mine, lt(userSockets.seenAt, now), notInArray(userSockets.socketId, [...liveIds])));
  } else {
    await sql.delete(userSockets).where(and(mine, lt(userSockets.seenAt, now)));
  }
};

/** Takes away sockets that no process has vouched for since `limit`, and all of other processes when alone. */
export const deleteGhosts = (
  sql: Sql,
  limit: Date,
  onlyServerId: string | null,
): Promise<Pick<SocketRow, 'userId' | 'channelId' | 'socketId'>[]> => {
  const old = lt(userSockets.seenAt, limit);
  return sql
    .delete(userSockets)
    .where(onlyServerId === null ? old : or(old, ne(userSockets.serverId, onlyServerId)))
    .returning({ userId: userSockets.userId, channelId: userSockets.channelId, socketId: userSockets.socketId });
};
