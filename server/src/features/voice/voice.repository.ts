import type { ParticipantId, UserId } from '@pressel/contract/ids';
import { and, desc, eq } from 'drizzle-orm';
import type { Db } from '#src/db/connect.ts';
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
