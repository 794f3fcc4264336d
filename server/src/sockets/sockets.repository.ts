import { sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { userSockets } from '#src/db/schema/presence.ts';

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
