import type { ChannelId } from '@pressel/contract/ids';
import { sql as expression, type SQL } from 'drizzle-orm';
import type { Db, Sql } from '#src/db/connect.ts';
import { prepared } from '#src/db/prepared-statement.ts';
import { channelMembers } from '#src/db/schema/channels.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';
import { type LatestActivity, latestActivity } from '#src/history/latest.repository.ts';
import type { SocketRow } from '#src/sockets/sockets.repository.ts';
import type { ReadAt } from './newest-news.ts';

/** The table's rows about some users and rooms, as they were at one moment. */
export interface StatusRows {
  /** The moment that was read. */
  readAt: ReadAt;
  sockets: SocketRow[];
  memberships: { userId: string; channelId: ChannelId }[];
  /** Number of different users in each of the rooms, without guests (GUEST8). An empty room is absent. */
  inRooms: { channelId: string; connected: number }[];
  latest: Map<string, LatestActivity>;
  /** Number of different users in all rooms together. */
  connected: number;
}

type Found = Omit<StatusRows, 'readAt' | 'latest'> & {
  next: string;
  running: number;
  latest: (Omit<LatestActivity, 'createdAt'> & { userId: string; createdAt: string })[];
};

const given = expression.placeholder;
/** The rows of a query, as a list of JSON objects. */
const list = (query: SQL) => expression`(select coalesce(json_agg(found), '[]') from (${query}) found)`;
/** Hides the values from the planner: otherwise each reading would be planned anew, which takes longer than the reading. */
const anyOf = (name: string) => expression`any((select ${given(name)}::uuid[])::uuid[])`;

const latestOf = (sql: Sql) => {
  const latest = latestActivity(sql);
  return sql
    .select({
      userId: expression`${users.id}`.as('userId'),
      id: expression`${latest.id}`.as('id'),
      type: expression`${latest.type}`.as('type'),
      createdAt: expression`${latest.createdAt}`.as('createdAt'),
      channelName: expression`${latest.channelName}`.as('channelName'),
    })
    .from(users)
    .innerJoinLateral(latest, expression`true`)
    .where(expression`${users.id} = ${anyOf('userIds')}`);
};

/** One statement sees one moment. It is also one round trip, and there are several readings a second. */
const read = prepared<Found>(
  (sql) => expression`
  select pg_snapshot_xmax(now)::text as next, (select count(*)::int from pg_snapshot_xip(now)) as running,
    ${list(expression`select user_id as "userId", channel_id as "channelId", socket_id as "socketId"
      from ${userSockets} where user_id = ${anyOf('userIds')}`)} as sockets,
    ${list(expression`select user_id as "userId", channel_id as "channelId"
      from ${channelMembers} where user_id = ${anyOf('everywhere')}`)} as memberships,
    ${list(expression`select channel_id as "channelId", count(distinct user_id)::int as connected
      from ${userSockets} where channel_id = ${anyOf('rooms')} group by channel_id`)} as "inRooms",
    ${list(expression`select * from ${latestOf(sql)} latest_of`)} as latest,
    (select count(*)::int from (
      select distinct user_id from ${userSockets} where channel_id is not null and user_id is not null
    ) present) as connected
  from pg_current_snapshot() as now`,
);

/**
 * @param of.userIds the users whose sockets and latest activities are read
 * @param of.everywhere those whose memberships are read too
 * @param of.rooms the rooms whose users are counted
 */
export async function readStatusRows(
  db: Db,
  of: { userIds: readonly string[]; everywhere: readonly string[]; rooms: readonly string[] },
): Promise<StatusRows> {
  const { rows } = await read(db, {
    ...{ userIds: [...of.userIds], everywhere: [...of.everywhere], rooms: [...of.rooms] },
  });
  const { next, running, latest, ...found } = rows[0] as Found;
  return {
    ...found,
    readAt: [Number(next), running],
    latest: new Map(
      latest.map(({ userId, createdAt, ...activity }) => [userId, { ...activity, createdAt: new Date(createdAt) }]),
    ),
  };
}
