import { and, asc, countDistinct, eq, sql as expression, inArray } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';

export type ChannelRow = typeof channels.$inferSelect;

/** Every channel, or those that a user is a member of; by name without regard to case. */
export const listChannels = (sql: Sql, memberId?: string): Promise<ChannelRow[]> => {
  const mine = sql
    .select({ id: channelMembers.channelId })
    .from(channelMembers)
    .where(eq(channelMembers.userId, memberId ?? ''));
  const query = sql.select().from(channels);
  return (memberId === undefined ? query : query.where(inArray(channels.id, mine))).orderBy(
    asc(expression`lower(${channels.name})`),
    asc(channels.id),
  );
};

export const listMemberships = (
  sql: Sql,
  channelIds: readonly string[],
): Promise<{ channelId: string; userId: string }[]> =>
  sql
    .select({ channelId: channelMembers.channelId, userId: channelMembers.userId })
    .from(channelMembers)
    .where(inArray(channelMembers.channelId, [...channelIds]));

/** Different users in each room now. Channels with nobody are absent. */
export const countConnected = async (sql: Sql): Promise<Map<string, number>> => {
  const rows = await sql
    .select({ channelId: userSockets.channelId, connected: countDistinct(userSockets.userId) })
    .from(userSockets)
    .groupBy(userSockets.channelId);
  return new Map(rows.flatMap(({ channelId, connected }) => (channelId === null ? [] : [[channelId, connected]])));
};

export const findChannel = async (sql: Sql, id: string): Promise<ChannelRow | null> => {
  const [row] = await sql.select().from(channels).where(eq(channels.id, id));
  return row ?? null;
};

export const findChannelByKey = async (sql: Sql, rtcSession: string): Promise<ChannelRow | null> => {
  const [row] = await sql.select().from(channels).where(eq(channels.rtcSession, rtcSession));
  return row ?? null;
};

export const insertChannel = async (sql: Sql, channel: typeof channels.$inferInsert): Promise<void> => {
  await sql.insert(channels).values(channel);
};

/** Changes what is given. @returns whether there was such a channel */
export const updateChannelRow = async (
  sql: Sql,
  id: string,
  change: Partial<Pick<ChannelRow, 'name' | 'rtcSession' | 'talkMode'>>,
): Promise<boolean> => {
  const rows = await sql.update(channels).set(change).where(eq(channels.id, id)).returning({ id: channels.id });
  return rows.length > 0;
};

/** @returns the channel as it was, or null */
export const deleteChannelRow = async (sql: Sql, id: string): Promise<ChannelRow | null> => {
  const [row] = await sql.delete(channels).where(eq(channels.id, id)).returning();
  return row ?? null;
};

/** Holds a channel until the transaction ends, so that changes of its members come one after the other. */
export const lockChannel = async (sql: Sql, id: string): Promise<boolean> => {
  const [row] = await sql.select({ id: channels.id }).from(channels).where(eq(channels.id, id)).for('update');
  return row !== undefined;
};

export const deleteMembers = async (sql: Sql, channelId: string, userIds: readonly string[]): Promise<void> => {
  if (userIds.length === 0) return;
  await sql
    .delete(channelMembers)
    .where(and(eq(channelMembers.channelId, channelId), inArray(channelMembers.userId, [...userIds])));
};

/** Adds memberships; those that exist already stay as they are. */
export const insertMembers = async (sql: Sql, channelId: string, userIds: readonly string[]): Promise<void> => {
  if (userIds.length === 0) return;
  await sql
    .insert(channelMembers)
    .values(userIds.map((userId) => ({ channelId, userId })))
    .onConflictDoNothing();
};

/** @returns whether there was such a membership */
export const deleteMember = async (sql: Sql, channelId: string, userId: string): Promise<boolean> => {
  const rows = await sql
    .delete(channelMembers)
    .where(and(eq(channelMembers.channelId, channelId), eq(channelMembers.userId, userId)))
    .returning({ userId: channelMembers.userId });
  return rows.length > 0;
};

export const isMember = async (sql: Sql, channelId: string, userId: string): Promise<boolean> => {
  const [row] = await sql
    .select({ userId: channelMembers.userId })
    .from(channelMembers)
    .where(and(eq(channelMembers.channelId, channelId), eq(channelMembers.userId, userId)));
  return row !== undefined;
};

/** The channels that a user is a member of. */
export const channelIdsOf = async (sql: Sql, userId: string): Promise<string[]> => {
  const rows = await sql
    .select({ id: channelMembers.channelId })
    .from(channelMembers)
    .where(eq(channelMembers.userId, userId));
  return rows.map((row) => row.id);
};

/** Members of a channel, by last name then first name. */
export const listMembers = async (sql: Sql, channelId: string): Promise<(typeof users.$inferSelect)[]> => {
  const rows = await sql
    .select({ user: users })
    .from(channelMembers)
    .innerJoin(users, eq(users.id, channelMembers.userId))
    .where(eq(channelMembers.channelId, channelId))
    .orderBy(asc(expression`lower(${users.lastName})`), asc(expression`lower(${users.firstName})`), asc(users.id));
  return rows.map((row) => row.user);
};
