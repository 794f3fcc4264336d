import type { ChannelId, UserId } from '@pressel/contract/ids';
import { and, eq, sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { users } from '#src/db/schema/users.ts';
import type { ChangeTx } from '#src/platform/change.ts';
import { arrayOf, isAnyOf } from '#src/shared/list-sql.ts';
import { createYielder } from '#src/shared/yielder.ts';

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
  const added: Membership[] = [];
  const yieldToEventLoop = createYielder();
  for (const [someUsers, someChannels] of blocksOf(userIds, channelIds)) {
    const rows = await sql
      .insert(channelMembers)
      .select(
        expression`select channel_id, user_id, now() from unnest(${arrayOf('uuid', someChannels)}) channel_id
          cross join unnest(${arrayOf('uuid', someUsers)}) user_id`,
      )
      .onConflictDoNothing()
      .returning(pair);
    for (const row of rows as Membership[]) added.push(row);
    await yieldToEventLoop();
  }
  return added;
};

/** Deletes the memberships of these users in these channels. @returns those that existed */
export const deleteMemberships = async (
  sql: ChangeTx,
  userIds: readonly string[],
  channelIds: readonly string[],
): Promise<Membership[]> => {
  const ended: Membership[] = [];
  const yieldToEventLoop = createYielder();
  for (const [someUsers, someChannels] of blocksOf(userIds, channelIds)) {
    const rows = await sql
      .delete(channelMembers)
      .where(and(isAnyOf(channelMembers.userId, someUsers), isAnyOf(channelMembers.channelId, someChannels)))
      .returning(pair);
    for (const row of rows as Membership[]) ended.push(row);
    await yieldToEventLoop();
  }
  return ended;
};

export const listMemberIds = async (sql: Sql, channelId: string): Promise<UserId[]> => {
  const rows = await sql.select(pair).from(channelMembers).where(eq(channelMembers.channelId, channelId));
  return rows.map((row) => row.userId as UserId);
};

/** Ids of the channels that a user is a member of. */
export const channelIdsOf = async (sql: Sql, userId: string): Promise<ChannelId[]> => {
  const rows = await sql.select(pair).from(channelMembers).where(eq(channelMembers.userId, userId));
  return rows.map((row) => row.channelId as ChannelId);
};

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

/** Those of these ids that exist. */
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

/** Memberships per statement. */
const PAIRS_AT_ONCE = 1_000;

/** Splits the product of users and channels into blocks of at most PAIRS_AT_ONCE pairs. */
function* blocksOf(userIds: readonly string[], channelIds: readonly string[]): Generator<[string[], string[]]> {
  const usersAtOnce = Math.min(userIds.length, PAIRS_AT_ONCE);
  const channelsAtOnce = Math.max(1, Math.floor(PAIRS_AT_ONCE / usersAtOnce));
  for (let user = 0; user < userIds.length; user += usersAtOnce) {
    const someUsers = userIds.slice(user, user + usersAtOnce);
    for (let channel = 0; channel < channelIds.length; channel += channelsAtOnce) {
      yield [someUsers, channelIds.slice(channel, channel + channelsAtOnce)];
    }
  }
}
