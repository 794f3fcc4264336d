import type { ChannelId, UserId } from '@pressel/contract/ids';
import { and, eq, sql as expression } from 'drizzle-orm';
import { displayName } from '#src/accounts/present-user.ts';
import type { Sql } from '#src/db/connect.ts';
import { arrayOf, isAnyOf } from '#src/db/list-sql.ts';
import { preparedBuilt } from '#src/db/prepared-statement.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { messageCounters } from '#src/db/schema/messages.ts';
import { users } from '#src/db/schema/users.ts';
import type { ChangeTx } from '#src/history/change.ts';

export interface Membership {
  userId: UserId;
  channelId: ChannelId;
}

const pair = { userId: channelMembers.userId, channelId: channelMembers.channelId };

/** Makes each of these users a member of each of these channels. @returns the memberships that are new */
export const insertMemberships = async (
  sql: ChangeTx,
  userIds: readonly string[],
  channelIds: readonly string[],
): Promise<Membership[]> => {
  if (userIds.length === 0 || channelIds.length === 0) return [];
  const rows = await sql
    .insert(channelMembers)
    .select(
      expression`select channel_id, user_id, now(), coalesce(newest, 0)
        from unnest(${arrayOf('uuid', channelIds)}) channel_id left join ${messageCounters} using (channel_id)
        cross join unnest(${arrayOf('uuid', userIds)}) user_id`,
    )
    .onConflictDoNothing()
    .returning(pair);
  return rows as Membership[];
};

/** Deletes the memberships of these users in these channels. @returns those that existed */
export const deleteMemberships = async (
  sql: ChangeTx,
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

/** The names of these users and channels, by id. */
export async function namesOf(sql: Sql, memberships: readonly Membership[]) {
  const userIds = [...new Set(memberships.map(({ userId }) => userId))];
  const channelIds = [...new Set(memberships.map(({ channelId }) => channelId))];
  const { id, firstName, lastName, pseudo } = users;
  const people = await sql.select({ id, firstName, lastName, pseudo }).from(users).where(isAnyOf(id, userIds));
  const places = await sql
    .select({ id: channels.id, name: channels.name })
    .from(channels)
    .where(isAnyOf(channels.id, channelIds));
  return {
    users: new Map(people.map((row) => [row.id, displayName(row)])),
    channels: new Map(places.map((row) => [row.id, row.name])),
  };
}

export const listMemberIds = async (sql: Sql, channelId: string): Promise<UserId[]> => {
  const rows = await sql.select(pair).from(channelMembers).where(eq(channelMembers.channelId, channelId));
  return rows.map((row) => row.userId as UserId);
};

const pairsOf = preparedBuilt('pairs_of_users', (sql) =>
  sql
    .select(pair)
    .from(channelMembers)
    .where(expression`${channelMembers.userId} = any(${expression.placeholder('userIds')}::uuid[])`),
);

/** Ids of the channels that each of these users is a member of, in the order of the users. */
export async function channelIdsOfEach(sql: Sql, userIds: readonly string[]): Promise<ChannelId[][]> {
  const byUser = Map.groupBy(await pairsOf(sql, { userIds: [...userIds] }), ({ userId }) => userId);
  return userIds.map((id) => (byUser.get(id) ?? []).map(({ channelId }) => channelId as ChannelId));
}

/** Ids of the channels that a user is a member of. */
export const channelIdsOf = async (sql: Sql, userId: string): Promise<ChannelId[]> =>
  (await channelIdsOfEach(sql, [userId])).flat();

/** Distinct ids of the channels that any of these users is a member of. */
export const channelIdsOfAny = async (sql: Sql, userIds: readonly string[]): Promise<ChannelId[]> => {
  const rows = await sql
    .selectDistinct({ channelId: channelMembers.channelId })
    .from(channelMembers)
    .where(isAnyOf(channelMembers.userId, userIds));
  return rows.map((row) => row.channelId as ChannelId);
};

/** The id of the user with this login, or null. */
export const findUserIdByLogin = async (sql: Sql, login: string): Promise<UserId | null> => {
  const [row] = await sql
    .select({ id: users.id })
    .from(users)
    .where(eq(expression`lower(${users.identifier})`, expression`lower(${login})`));
  return (row?.id ?? null) as UserId | null;
};

export const userExists = async (sql: Sql, id: string): Promise<boolean> =>
  (await sql.$count(users, eq(users.id, id))) > 0;

/** The ids among these that exist. */
export const existingChannelIds = async (sql: Sql, ids: readonly string[]): Promise<ChannelId[]> => {
  const rows = await sql.select({ id: channels.id }).from(channels).where(isAnyOf(channels.id, ids));
  return rows.map((row) => row.id as ChannelId);
};

/** Ids of the channels with these room keys; unknown keys are skipped. */
export const channelIdsByKey = async (sql: Sql, keys: readonly string[]): Promise<ChannelId[]> => {
  const rows = await sql
    .select({ id: channels.id })
    .from(channels)
    .where(expression`${channels.rtcSession} = any(${arrayOf('text', keys)})`);
  return rows.map((row) => row.id as ChannelId);
};
