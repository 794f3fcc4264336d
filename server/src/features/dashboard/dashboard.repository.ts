import type { TalkEnd } from '@pressel/contract/activities';
import type { Role } from '@pressel/contract/credentials';
import { type SQL, sql } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { arrayOf, instantOf } from '#src/db/list-sql.ts';
import { activities } from '#src/db/schema/activities.ts';
import { channelMembers, channels, guestLinks, guestSessions } from '#src/db/schema/channels.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';
import { isInLog } from '#src/history/latest.repository.ts';

/** A moment, and the time zone whose days and hours count. */
export interface Today {
  now: Date;
  timeZone: string;
}

/** The beginning of the viewer's day, by the viewer's clock. The hour elsewhere and the length of the day don't matter. */
const localDay = ({ now, timeZone }: Today): SQL =>
  sql`date_trunc('day', ${instantOf(now)} at time zone ${timeZone}::text)`;

/**
 * The moment when a local day begins. If clocks are set back at one o'clock, midnight comes twice, and PostgreSQL knows the
 * second one.
 */
function beginOf(day: SQL, { timeZone }: Today): SQL {
  const midnight = sql`(${day} at time zone ${timeZone}::text)`;
  const before = sql`(${midnight} - interval '1 hour')`;
  return sql`(case when ${before} at time zone ${timeZone}::text = ${day} then ${before} else ${midnight} end)`;
}

/** The newest days, oldest first, with the number of rows made on each; and the number of all rows. */
export async function readTrend(db: Sql, table: 'users' | 'channels', today: Today, days: number) {
  const rows = table === 'users' ? users : channels;
  const found = await db.execute<{ day: string; age: number; created: number; total: number }>(sql`
    select to_char(local, 'YYYY-MM-DD') as day, age, (select count(*)::int from ${rows}) as total, (
      select count(*)::int from ${rows}
      where created_at >= ${beginOf(sql`local`, today)}
        and created_at < ${beginOf(sql`(local + interval '1 day')`, today)}
    ) as created
    from (select ${localDay(today)} - (age - 1) * interval '1 day' as local, age from generate_series(1, ${days}::int) age) d
    order by age desc`);
  return found.rows;
}

export interface ChannelRow extends Record<string, unknown> {
  id: string;
  name: string;
  rtcSession: string;
  userCount: number;
  connected: number;
  lastActivityMs: number | null;
}

/** Figures of the channels in `chosen`, which has id, name, rtc_session and user_count. */
const withFigures = (chosen: SQL): SQL => sql`
  select c.id, c.name, c.rtc_session as "rtcSession", c.user_count as "userCount",
    (select count(distinct user_id)::int from ${userSockets} where channel_id = c.id) as connected,
    (select extract(epoch from created_at)::float8 * 1000 from ${activities} where channel_id = c.id and not is_audit and ${isInLog}
      order by created_at desc nulls last, id desc nulls last limit 1) as "lastActivityMs"
  from (${chosen}) c`;

/** The channels with the most members. */
export async function listTopChannels(db: Sql, limit: number): Promise<ChannelRow[]> {
  const { rows } = await db.execute<ChannelRow>(sql`${withFigures(sql`
    select id, name, rtc_session, coalesce(n, 0) as user_count
    from ${channels} left join (select channel_id, count(*)::int as n from ${channelMembers} group by 1) m on channel_id = id
    order by user_count desc, name collate natural_order, id limit ${limit}`)}
    order by user_count desc, name collate natural_order, id`);
  return rows;
}

/** The channels of a member, by name. */
export async function listOwnChannels(db: Sql, userId: string): Promise<ChannelRow[]> {
  const { rows } = await db.execute<ChannelRow>(sql`${withFigures(sql`
    select id, name, rtc_session, (select count(*)::int from ${channelMembers} where channel_id = id) as user_count
    from ${channels} where id in (select channel_id from ${channelMembers} where user_id = ${userId}::uuid)`)}
    order by name collate natural_order, id`);
  return rows;
}

/**
 * Counts talks of others in the rooms of a member since they were last there, but not from before `since` or their membership.
 * Leaves out rooms that they are in now, and rooms without such a talk.
 */
export async function countMissedTalks(db: Sql, userId: string, since: Date): Promise<Map<string, number>> {
  const { rows } = await db.execute<{ channel_id: string; missed: number }>(sql`
    select m.channel_id, (
      select coalesce(sum(coalesce((details->>'talks')::int, 1)), 0)::int from ${activities} a
      where a.channel_id = m.channel_id and a.type = 'channel_talk' and a.user_id is distinct from m.user_id
        and a.created_at > greatest(m.created_at, ${instantOf(since)}, (
          select max(own.created_at) from ${activities} own
          where own.user_id = m.user_id and own.created_at > ${instantOf(since)} and own.channel_id = m.channel_id
            and own.type in ('channel_leave', 'connexion_lost')))
    ) as missed
    from ${channelMembers} m where m.user_id = ${userId}::uuid
      and not exists (select 1 from ${userSockets} s where s.user_id = m.user_id and s.channel_id = m.channel_id)`);
  return new Map(rows.flatMap((row) => (row.missed > 0 ? [[row.channel_id, row.missed]] : [])));
}

/** Members who belong to no channel, the newest accounts first: their number, and at most `limit` of them. */
export async function listWithoutChannel(db: Sql, limit: number) {
  const { rows } = await db.execute<PersonRow & { total: number }>(sql`
    select id as "userId", first_name as "firstName", last_name as "lastName", pseudo, count(*) over ()::int as total
    from ${users} u where role <> ${'admin' satisfies Role}
      and not exists (select 1 from ${channelMembers} m where m.user_id = u.id)
    order by created_at desc, id desc limit ${limit}`);
  return rows;
}

/** The user and the channels that the figures cover, with the members of these; null: all. */
export type Visible = { userId: string; channelIds: readonly string[] } | null;

/** Whether the channel of this column is visible. */
const isVisible = (column: SQL, visible: Visible): SQL =>
  visible === null ? sql`true` : sql`${column} = any(${arrayOf('uuid', visible.channelIds)})`;

/** Whether the figures cover the user of this socket. */
const isKnown = (visible: Visible): SQL =>
  visible === null
    ? sql`s.user_id is not null`
    : sql`(s.user_id is not null and (s.user_id = ${visible.userId}::uuid or ${isVisible(sql`s.channel_id`, visible)}
        or exists (select 1 from ${channelMembers} m
          where m.user_id = s.user_id and ${isVisible(sql`m.channel_id`, visible)})))`;

/**
 * Counts distinct users with a live socket, and those in a visible room. A member who asks is online, even if their socket is
 * not up yet: a member without a channel gets no news that would correct a zero [DASH8].
 */
export async function countConnected(db: Sql, visible: Visible): Promise<{ connected: number; inRooms: number }> {
  const isMissing =
    visible === null ? sql`false` : sql`not coalesce(bool_or(s.user_id = ${visible.userId}::uuid), false)`;
  const isHere = sql`channel_id is not null and ${isVisible(sql`channel_id`, visible)}`;
  const { rows } = await db.execute<{ connected: number; inRooms: number }>(sql`
    select count(distinct user_id) filter (where ${isKnown(visible)})::int
        + (${isMissing})::int as connected,
      count(distinct user_id) filter (where ${isHere})::int as "inRooms" from ${userSockets} s`);
  return rows[0] ?? { connected: 0, inRooms: 0 };
}

export interface PersonRow extends Record<string, unknown> {
  userId: string;
  firstName: string;
  lastName: string;
  pseudo: string;
}

/** Users who are connected and in no visible room, by name: their number, and at most `limit` of them. */
export async function listOutside(db: Sql, visible: Visible, limit: number) {
  const { rows } = await db.execute<PersonRow & { total: number }>(sql`
    select id as "userId", first_name as "firstName", last_name as "lastName", pseudo, count(*) over ()::int as total
    from ${users} u where id in (
      select user_id from ${userSockets} s where ${isKnown(visible)} group by user_id
      having not coalesce(bool_or(channel_id is not null and ${isVisible(sql`channel_id`, visible)}), false))
    order by first_name collate natural_order, last_name collate natural_order, id limit ${limit}`);
  return rows;
}

/** Rooms with somebody in them, and the number of their users and guests. */
export async function listRooms(db: Sql, visible: Visible) {
  const { rows } = await db.execute<{
    id: string;
    name: string;
    rtcSession: string;
    connected: number;
    guestCount: number;
  }>(sql`
    select c.id, c.name, c.rtc_session as "rtcSession", count(distinct s.user_id)::int as connected,
      count(distinct s.guest_id)::int as "guestCount"
    from ${userSockets} s join ${channels} c on c.id = s.channel_id
    where ${isVisible(sql`c.id`, visible)}
    group by c.id order by c.name collate natural_order, c.id`);
  return rows;
}

/** Users in these rooms, in order of arrival; at most `limit` of each. */
export async function listOccupants(db: Sql, channelIds: readonly string[], limit: number) {
  const { rows } = await db.execute<PersonRow & { channelId: string }>(sql`
    select channel_id as "channelId", user_id as "userId", first_name as "firstName", last_name as "lastName", pseudo
    from ${firstIn(sql`user_id`, channelIds)} s join ${users} u on u.id = user_id
    where place <= ${limit} order by channel_id, place`);
  return rows;
}

/** Guests in these rooms in the same way, with the names of their links. */
export async function listGuests(db: Sql, channelIds: readonly string[], limit: number) {
  const { rows } = await db.execute<{ channelId: string; name: string; linkName: string }>(sql`
    select s.channel_id as "channelId", g.name, l.name as "linkName"
    from ${firstIn(sql`guest_id`, channelIds)} s join ${guestSessions} g on g.id = guest_id
      join ${guestLinks} l on l.id = g.link_id
    where place <= ${limit} order by s.channel_id, place`);
  return rows;
}

/** The owners that this column names in these rooms, with their place by arrival. */
const firstIn = (owner: SQL, channelIds: readonly string[]): SQL => sql`(
  select channel_id, ${owner}, row_number() over (partition by channel_id order by min(joined_at), ${owner}) as place
  from ${userSockets} where channel_id = any(${arrayOf('uuid', channelIds)}) and ${owner} is not null group by 1, 2)`;

const BROKEN_OFF: TalkEnd = 'lease_expired';

/** Talks that began today, by channel and the hour of the viewer's clock. */
export async function listTalks(db: Sql, today: Today, visible: Visible) {
  const dayBegins = beginOf(localDay(today), today);
  const { rows } = await db.execute<{
    channelId: string;
    name: string;
    hour: number;
    talkMs: number;
    transmissions: number;
    brokenOff: number;
  }>(sql`
    select channel_id as "channelId", coalesce(max(c.name), max(t.channel_name)) as name,
      extract(hour from began at time zone ${today.timeZone}::text)::int as hour,
      sum(ms)::float8 as "talkMs", sum(talks)::int as transmissions,
      (count(*) filter (where is_broken_off))::int as "brokenOff"
    from (
      select channel_id, channel_name, coalesce((details->>'durationMs')::bigint, 0) as ms,
        coalesce((details->>'talks')::int, 1) as talks,
        details->>'end' = ${BROKEN_OFF} as is_broken_off,
        -- An entry may stand for several talks, which began in the same hour (LOG63): the first of them counts.
        created_at - coalesce((details->>'spanMs')::bigint, (details->>'durationMs')::bigint, 0) * interval '1 ms' as began
      from ${activities}
      where type = 'channel_talk' and channel_id is not null and ${isVisible(sql`channel_id`, visible)} and created_at >= ${dayBegins}
        and created_at <= ${instantOf(today.now)}
    ) t left join ${channels} c on c.id = channel_id
    where began >= ${dayBegins} group by channel_id, 3`);
  return rows;
}

/** The date of the viewer's day, yyyy-MM-dd. */
export async function dayOf(db: Sql, today: Today): Promise<string> {
  const { rows } = await db.execute<{ day: string }>(sql`select to_char(${localDay(today)}, 'YYYY-MM-DD') as day`);
  return rows[0]?.day ?? '';
}
