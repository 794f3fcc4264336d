import { and, eq, sql as expression } from 'drizzle-orm';
import type { Sql, Tx } from '#src/db/connect.ts';
import { prepared } from '#src/db/prepared-statement.ts';
import { servers, userSockets } from '#src/db/schema/presence.ts';
import type { SocketRow } from './presence.repository.ts';

/**
 * Stores how long a participant has talked in a room, while its process stops; null once that is dealt with.
 * @returns the process of the participant's row there; undefined: there is none
 */
export async function setTalk(
  sql: Sql,
  { socketId, channelId, talkMs }: Pick<SocketRow, 'socketId' | 'talkMs'> & { channelId: string },
): Promise<string | undefined> {
  const [row] = await sql
    .update(userSockets)
    .set({ talkMs })
    .where(and(eq(userSockets.socketId, socketId), eq(userSockets.channelId, channelId)))
    .returning({ serverId: userSockets.serverId });
  return row?.serverId;
}

/**
 * Stores how long a participant has talked, as far as it was heard until some time. So its process lived until then at least.
 * @returns whether the participant has a row there
 */
export async function keepTalk(
  tx: Tx,
  { heardAt, ...talk }: { socketId: string; channelId: string; talkMs: number; heardAt: Date },
): Promise<boolean> {
  const serverId = await setTalk(tx, talk);
  if (serverId === undefined) return false;
  await tx
    .update(servers)
    .set({ seenAt: expression`greatest(${servers.seenAt}, ${heardAt.toISOString()}::timestamptz)` })
    .where(eq(servers.id, serverId));
  return true;
}

interface MovedRow extends Record<string, unknown> {
  channel_id: string | null;
  joined_at: string | null;
  video: string | null;
  talk_ms: number | null;
  is_silent: boolean;
  seen_at: string;
}
const given = expression.placeholder;
const move = prepared<MovedRow>(
  () => expression`
  with moved as (
    update ${userSockets} set server_id = ${given('serverId')}::uuid from ${servers}
    where ${servers.id} = ${userSockets.serverId}
      and socket_id = ${given('socketId')} and session_id = ${given('sessionId')}::uuid and server_id <> ${given('serverId')}::uuid
    returning channel_id, joined_at, video, talk_ms, is_silent, ${servers.seenAt} as seen_at
  ), replaced as (
    delete from ${userSockets}
    where socket_id = ${given('storedAs')} and server_id = ${given('serverId')}::uuid and exists (select from moved)
  )
  select * from moved`,
);

/**
 * Gives this process the rows that a participant of this session has at another one, in place of its own row. It is one statement, because
 * hundreds come at once when a process is lost.
 * @returns the rows, and when that process was last known to live
 */
export async function moveSockets(
  sql: Sql,
  of: Pick<SocketRow, 'socketId' | 'sessionId' | 'serverId'> & { storedAs: string },
): Promise<(Pick<SocketRow, 'channelId' | 'joinedAt' | 'video' | 'talkMs' | 'isSilent'> & { seenAt: Date })[]> {
  const { rows } = await move(sql, of);
  return rows.map((row) => ({
    channelId: row.channel_id,
    joinedAt: row.joined_at === null ? null : (userSockets.joinedAt.mapFromDriverValue(row.joined_at) as Date),
    video: row.video === null ? null : (userSockets.video.mapFromDriverValue(row.video) as SocketRow['video']),
    talkMs: row.talk_ms,
    isSilent: row.is_silent,
    seenAt: servers.seenAt.mapFromDriverValue(row.seen_at) as Date,
  }));
}
