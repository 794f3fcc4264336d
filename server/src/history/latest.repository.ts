import { type ActivityType, activityType } from '@pressel/contract/activity-types';
import { and, eq, sql as expression, type SQL } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { arrayOf, isAnyOf } from '#src/db/list-sql.ts';
import { preparedBuilt } from '#src/db/prepared-statement.ts';
import { activities, activityHorizon } from '#src/db/schema/activities.ts';
import { channels } from '#src/db/schema/channels.ts';
import { lastPositions } from '#src/db/schema/positions.ts';
import { users } from '#src/db/schema/users.ts';

/** Whether an entry is in the log: rows from before the horizon may not be deleted yet (LOG41). */
export const isInLog: SQL = expression`created_at >= coalesce((select before from ${activityHorizon}), '-infinity')`;

/**
 * The newest activity of each user, of the specification's types, found by its index: for a lateral join with `users`.
 * @param channelId limits it to what they did there
 */
export const latestActivity = (sql: Sql, channelId?: string) =>
  sql
    .select({
      id: activities.id,
      // Sound: the query finds no other types.
      type: expression<ActivityType>`${activities.type}`.as('type'),
      createdAt: activities.createdAt,
      channelName: activities.channelName,
    })
    .from(activities)
    .where(
      and(
        eq(activities.userId, users.id),
        expression`not ${activities.isAudit}`,
        // A newer version may have stored other types before a roll-back.
        expression`${activities.type} = any(${arrayOf('text', activityType.options)})`,
        isInLog,
        channelId === undefined ? undefined : eq(activities.channelId, channelId),
      ),
    )
    .orderBy(expression`${activities.createdAt} desc nulls last`)
    .limit(1)
    .as('latest');

export interface LatestActivity {
  id: string;
  type: ActivityType;
  createdAt: Date;
  channelName: string | null;
}

/** The newest activity of each of these users, by user id. @param channelId limits it to what they did there */
export async function listLatestOfUsers(
  sql: Sql,
  userIds: readonly string[],
  channelId?: string,
): Promise<Map<string, LatestActivity>> {
  const latest = latestActivity(sql, channelId);
  const rows = await sql
    .select({
      userId: users.id,
      id: latest.id,
      type: latest.type,
      createdAt: latest.createdAt,
      channelName: latest.channelName,
    })
    .from(users)
    .innerJoinLateral(latest, expression`true`)
    .where(isAnyOf(users.id, userIds));
  return new Map(rows.map(({ userId, ...activity }) => [userId, activity]));
}

export interface ChannelActivity extends LatestActivity {
  user: { firstName: string; displayName: string } | null;
}

/**
 * The newest activity in each of these channels, of the specification's types, by channel id. It is found in the index
 * alone, and one row is read: many entries for auditors may be newer, such as those of a thousand new members.
 */
export async function listLatestOfChannels(
  sql: Sql,
  channelIds: readonly string[],
): Promise<Map<string, ChannelActivity>> {
  const newest = sql
    .select({ id: activities.id })
    .from(activities)
    .where(and(eq(activities.channelId, channels.id), expression`not ${activities.isAudit}`, isInLog))
    .orderBy(expression`${activities.createdAt} desc nulls last`, expression`${activities.id} desc nulls last`)
    .limit(1)
    .as('newest');
  const rows = await sql
    .select({
      channelId: channels.id,
      id: activities.id,
      type: activities.type,
      createdAt: activities.createdAt,
      channelName: activities.channelName,
      userId: activities.userId,
      firstName: activities.userFirstName,
      displayName: activities.userDisplayName,
    })
    .from(channels)
    .innerJoinLateral(newest, expression`true`)
    .innerJoin(activities, eq(activities.id, newest.id))
    .where(isAnyOf(channels.id, channelIds));
  const known = rows.flatMap(({ channelId, userId, firstName, displayName, ...row }) => {
    const type = activityType.safeParse(row.type).data;
    const user = userId === null ? null : { firstName, displayName };
    return type === undefined ? [] : [[channelId, { ...row, type, user }] as const];
  });
  return new Map(known);
}

/** How many of a channel's newest entries are searched for talks, so that many entries without talks cost no more. */
const LOOKED_AT = 500;

interface TalkRow extends Record<string, unknown> {
  /** The id of an account or a guest. */
  userId: string;
  /** The talker's name at that time. */
  name: string;
  endedAt: string;
  /** From the beginning of the first talk of the entry to the end of its last one, ms. */
  spanMs: number;
  /** How long the talker talked, ms. */
  durationMs: number;
  /** The number of talks in one entry (LOG4). */
  talks: number;
}

export interface LoggedTalk extends Pick<TalkRow, 'userId' | 'name' | 'spanMs' | 'durationMs' | 'talks'> {
  endedAt: Date;
}

/**
 * The newest talks among the newest entries about the outer query's channel `id`; the newest first. Both orders are exactly the
 * index's: nothing is sorted, and reading ends with the last wanted talk. The horizon filters only talks: further inside, the
 * database would expect few entries and read all of the channel's.
 */
const newestTalks = (id: SQL, limit: number): SQL => expression`
  select user_id as "userId", user_display_name as name, created_at as "endedAt",
    coalesce((details->>'spanMs')::float8, (details->>'durationMs')::float8, 0) as "spanMs",
    coalesce((details->>'durationMs')::float8, 0) as "durationMs", coalesce((details->>'talks')::int, 1) as talks
  from (
    select * from ${activities} where channel_id = ${id} and not is_audit
    order by created_at desc nulls last, id desc nulls last limit ${LOOKED_AT}
  ) newest
  where type = 'channel_talk' and user_id is not null and ${isInLog}
  order by created_at desc nulls last, id desc nulls last limit ${limit}`;

/** The last talk in each of these channels, by channel id. */
export async function listLastTalkOfChannels(
  sql: Sql,
  channelIds: readonly string[],
): Promise<Map<string, Pick<LoggedTalk, 'name' | 'endedAt'>>> {
  const { rows } = await sql.execute<{ channelId: string; name: string; endedAt: string }>(expression`
    select c.id as "channelId", t.name, t."endedAt" from unnest(${arrayOf('uuid', channelIds)}) c (id)
    cross join lateral (${newestTalks(expression`c.id`, 1)}) t`);
  return new Map(rows.map(({ channelId, name, endedAt }) => [channelId, { name, endedAt: new Date(endedAt) }]));
}

/** The last talks in one channel, the newest first. */
export async function listLastTalks(sql: Sql, channelId: string, limit: number): Promise<LoggedTalk[]> {
  const { rows } = await sql.execute<TalkRow>(newestTalks(expression`${channelId}::uuid`, limit));
  return rows.map(({ userId, name, endedAt, spanMs, durationMs, talks }) => ({
    ...{ userId, name, spanMs, durationMs, talks },
    endedAt: new Date(endedAt),
  }));
}

export type PositionRow = Omit<typeof lastPositions.$inferSelect, 'loggedAt'>;

export const positionColumns = {
  userId: lastPositions.userId,
  recordedAt: lastPositions.recordedAt,
  lat: lastPositions.lat,
  lng: lastPositions.lng,
  accuracy: lastPositions.accuracy,
};

/** The latest positions of these users, by user id. Only for callers who may see them. */
export async function listLastPositions(sql: Sql, userIds: readonly string[]): Promise<Map<string, PositionRow>> {
  const rows = await sql.select(positionColumns).from(lastPositions).where(isAnyOf(lastPositions.userId, userIds));
  return new Map(rows.map((row) => [row.userId, row]));
}

const withMapRight = preparedBuilt('users_with_map_right', (sql) =>
  sql
    .select({ id: users.id })
    .from(users)
    .where(and(expression`${users.id} = any(${expression.placeholder('userIds')}::uuid[])`, eq(users.mapRight, true))),
);

/** Whether each of these users has the right to the map now, in the order of the users. */
export async function findMapRights(sql: Sql, userIds: readonly string[]): Promise<boolean[]> {
  const entitled = new Set((await withMapRight(sql, { userIds: [...userIds] })).map(({ id }) => id));
  return userIds.map((id) => entitled.has(id));
}
