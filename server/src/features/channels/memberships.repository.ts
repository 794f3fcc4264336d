import type { ChannelId, UserId } from '@pressel/contract/ids';
import { and, eq, sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { arrayOf, isAnyOf } from '#src/shared/list-sql.ts';

export interface Membership {
  userId: UserId;
  channelId: ChannelId;
}

const pair = { userId: channelMembers.userId, channelId: channelMembers.channelId };

/** Makes each of these users a member of each of these channels. @returns the memberships that there were not before */
export const insertMemberships = async (
  sql: Sql,
  userIds: readonly string[],
  channelIds: readonly string[],
): Promise<Membership[]> => {
  if (userIds.length === 0 || channelIds.length === 0) return [];
  const rows = await sql
    .insert(channelMembers)
    .select(
      expression`select channel_id, user_id, now()
        from unnest(${arrayOf('uuid', channelIds)}) channel_id cross join unnest(${arrayOf('uuid', userIds)}) user_id`,
    )
    .onConflictDoNothing()
    .returning(pair);
  return rows as Membership[];
};

/** Ends the memberships of these users in these channels, of whichever there are. @returns those */
export const deleteMemberships = async (
  sql: Sql,
  userIds: readonly string[],
  channelIds: readonly string[],
): Promise<Membership[]> => {
  if (userIds.length === 0 || channelIds.length === 0) return [];
  const rows = await sql
    .delete(channelMembers)
    .where(and(isAnyOf(channelMembers.userId, userIds), isAnyOf(channelMembers.channelId, channelIds)))
    .returning(pair);
  return rows as Membership[];
};

export const listMemberIds = async (sql: Sql, channelId: string): Promise<UserId[]> => {
  const rows = await sql.select(pair).from(channelMembers).where(eq(channelMembers.channelId, channelId));
  return rows.map((row) => row.userId as UserId);
};

/** The channels that a user is a member of. */
export const channelIdsOf = async (sql: Sql, userId: string): Promise<ChannelId[]> => {
  const rows = await sql.select(pair).from(channelMembers).where(eq(channelMembers.userId, userId));
  return rows.map((row) => row.channelId as ChannelId);
};

/** The channels that any of these users is a member of, each once. */
export const channelIdsOfAny = async (sql: Sql, userIds: readonly string[]): Promise<ChannelId[]> => {
  const rows = await sql
    .selectDistinct({ channelId: channelMembers.channelId })
    .from(channelMembers)
    .where(isAnyOf(channelMembers.userId, userIds));
  return rows.map((row) => row.channelId as ChannelId);
};

/** Which of these channels there are. */
export const existingChannelIds = async (sql: Sql, ids: readonly string[]): Promise<ChannelId[]> => {
  const rows = await sql.select({ id: channels.id }).from(channels).where(isAnyOf(channels.id, ids));
  return rows.map((row) => row.id as ChannelId);
};

/** Channels by the keys of their rooms. Keys of none are absent. */
export const channelIdsByKey = async (sql: Sql, keys: readonly string[]): Promise<ChannelId[]> => {
  const rows = await sql
    .select({ id: channels.id })
    .from(channels)
    .where(expression`${channels.rtcSession} = any(${arrayOf('text', keys)})`);
  return rows.map((row) => row.id as ChannelId);
};
