import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { and, desc, eq, sql as expression } from 'drizzle-orm';
import type { Db, Sql } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { channels } from '#src/db/schema/channels.ts';
import { userSockets } from '#src/db/schema/presence.ts';

/**
 * The participant by which a user entered the room of this key last, at whatever process. One whose link is lost comes after all
 * others. Null: the user is not in that room.
 */
export async function findNewestIn(db: Db, userId: UserId, key: string): Promise<ParticipantId | null> {
  const [found] = await db
    .select({ id: userSockets.socketId })
    .from(userSockets)
    .innerJoin(channels, eq(channels.id, userSockets.channelId))
    .where(and(eq(userSockets.userId, userId), eq(channels.rtcSession, key)))
    .orderBy(userSockets.isSilent, desc(userSockets.joinedAt), desc(userSockets.socketId))
    .limit(1);
  return (found?.id ?? null) as ParticipantId | null;
}

export type SocketRow = Pick<typeof userSockets.$inferSelect, 'channelId' | 'socketId'> & { userId: string };

/** Live sockets of these users, on all server processes. */
export const listSockets = (sql: Sql, userIds: readonly string[]): Promise<SocketRow[]> =>
  sql
    .select({
      userId: expression<string>`${userSockets.userId}`,
      channelId: userSockets.channelId,
      socketId: userSockets.socketId,
    })
    .from(userSockets)
    .where(isAnyOf(userSockets.userId, userIds));
