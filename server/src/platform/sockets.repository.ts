import type { Sql } from '#src/db/connect.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { isAnyOf } from '#src/shared/list-sql.ts';

export type SocketRow = Pick<typeof userSockets.$inferSelect, 'userId' | 'channelId' | 'socketId'>;

/** Live sockets of these users, or of all users without a list, on all server processes. */
export const listSockets = (sql: Sql, userIds?: readonly string[]): Promise<SocketRow[]> =>
  sql
    .select({ userId: userSockets.userId, channelId: userSockets.channelId, socketId: userSockets.socketId })
    .from(userSockets)
    .where(userIds === undefined ? undefined : isAnyOf(userSockets.userId, userIds));
