import { and, eq, sql as expression } from 'drizzle-orm';
import type { Sql, Tx } from '#src/db/connect.ts';
import { prepared } from '#src/db/prepared-statement.ts';
import { servers, userSockets } from '#src/db/schema/presence.ts';
import { boundLocks, type SocketRow } from './presence.repository.ts';

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
  socket_id: string;
  session_id: string;
  channel_id: string | null;
  joined_at: string | null;
  video: string | null;
  talk_ms: number | null;
  is_silent: boolean;
  seen_at: string;
}
const given = expression.placeholder;
/** Their former process may write the same rows now. Both lock them in the same order first, so they don't wait for each other in a circle. */
const move = prepared<MovedRow>(
  () => expression`
  with asked as (
    select * from unnest(${given('socketIds')}::text[], ${given('sessionIds')}::uuid[], ${given('storedAs')}::text[])
      as asked (id, session, stored_as)
  ), bound as (
    select ${boundLocks}
  ), locked as (
    select from bound, asked join ${userSockets}
      on socket_id = asked.id and session_id = asked.session and server_id <> ${given('serverId')}::uuid
    order by socket_id, channel_id for update of ${userSockets}
  ), moved as (
    update ${userSockets} set server_id = ${given('serverId')}::uuid from ${servers}, asked
    where ${servers.id} = ${userSockets.serverId} and (select count(*) from locked) >= 0
      and socket_id = asked.id and session_id = asked.session and server_id <> ${given('serverId')}::uuid
    returning socket_id, session_id, channel_id, joined_at, video, talk_ms, is_silent, ${servers.seenAt} as seen_at
  ), replaced as (
    delete from ${userSockets}
    where server_id = ${given('serverId')}::uuid
      and socket_id in (
        select stored_as from asked
        where exists (select from moved where moved.socket_id = asked.id and moved.session_id = asked.session))
  )
  select * from moved`,
);

/** A participant whose rows are asked for. `storedAs`: the id in its own row, which they replace. */
export type Move = Pick<SocketRow, 'socketId' | 'sessionId'> & { storedAs: string };
type Moved = Pick<SocketRow, 'channelId' | 'joinedAt' | 'video' | 'talkMs' | 'isSilent'> & { seenAt: Date };

/**
 * Gives this process the rows that participants of these sessions have at other ones, in place of their own rows. It is one statement,
 * because hundreds come at once when a process is lost.
 * @returns the rows of each, in the order of the participants, and when their process was last known to live
 */
export async function moveSockets(sql: Sql, moves: readonly Move[], serverId: string): Promise<Moved[][]> {
  const { rows } = await move(sql, {
    ...{ serverId, isOfSeveral: moves.length > 1, socketIds: moves.map(({ socketId }) => socketId) },
    ...{ sessionIds: moves.map(({ sessionId }) => sessionId), storedAs: moves.map(({ storedAs }) => storedAs) },
  });
  // A stranger may ask for the same participant at the same moment, and gets nothing.
  const keyOf = (socketId: string, sessionId: string) => `${sessionId} ${socketId}`;
  const byOwner = Map.groupBy(rows, (row) => keyOf(row.socket_id, row.session_id));
  return moves.map(({ socketId, sessionId }) => {
    const key = keyOf(socketId, sessionId);
    const own = byOwner.get(key) ?? [];
    // If one session asks twice, the first gets it.
    byOwner.delete(key);
    return own.map(movedOf);
  });
}

function movedOf(row: MovedRow): Moved {
  return {
    channelId: row.channel_id,
    joinedAt: row.joined_at === null ? null : (userSockets.joinedAt.mapFromDriverValue(row.joined_at) as Date),
    video: row.video === null ? null : (userSockets.video.mapFromDriverValue(row.video) as SocketRow['video']),
    talkMs: row.talk_ms,
    isSilent: row.is_silent,
    seenAt: servers.seenAt.mapFromDriverValue(row.seen_at) as Date,
  };
}
