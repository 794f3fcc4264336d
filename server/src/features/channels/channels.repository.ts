import { and, eq, sql as expression, type SQL } from 'drizzle-orm';
import type { Session } from '#src/accounts/session.ts';
import type { Sql } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { preparedBuilt } from '#src/db/prepared-statement.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { users } from '#src/db/schema/users.ts';
import type { ChangeTx } from '#src/history/change.ts';

export type ChannelRow = typeof channels.$inferSelect;

export const findChannel = async (sql: Sql, id: string): Promise<ChannelRow | null> => {
  const [row] = await sql.select().from(channels).where(eq(channels.id, id));
  return row ?? null;
};

const forMember = (sql: Sql, isTarget: SQL) =>
  sql
    .select({ channel: channels, isMember: expression<boolean>`${channelMembers.userId} is not null` })
    .from(channels)
    .leftJoin(
      channelMembers,
      and(eq(channelMembers.channelId, channels.id), eq(channelMembers.userId, expression.placeholder('userId'))),
    )
    .where(isTarget);
const forMemberById = preparedBuilt('channel_for_member', (sql) =>
  forMember(sql, eq(channels.id, expression.placeholder('target'))),
);
const forMemberByKey = preparedBuilt('channel_of_key_for_member', (sql) =>
  forMember(sql, eq(channels.rtcSession, expression.placeholder('target'))),
);

/** A channel by its id or room key, and whether this user was a member of it at the same moment. */
export const findForMember = async (
  sql: Sql,
  target: { id: string } | { rtcSession: string },
  userId: string,
): Promise<{ channel: ChannelRow; isMember: boolean } | null> => {
  const [row] = await ('id' in target
    ? forMemberById(sql, { target: target.id, userId })
    : forMemberByKey(sql, { target: target.rtcSession, userId }));
  return row ?? null;
};

export const insertChannel = async (sql: ChangeTx, channel: typeof channels.$inferInsert): Promise<void> => {
  await sql.insert(channels).values(channel);
};

/** Changes the given columns and increments the version. @returns the new version */
export const updateChannelRow = async (
  sql: ChangeTx,
  id: string,
  change: Partial<Pick<ChannelRow, 'name' | 'rtcSession' | 'talkMode'>>,
): Promise<number> => {
  const [row] = await sql
    .update(channels)
    .set({ ...change, version: expression`${channels.version} + 1` })
    .where(eq(channels.id, id))
    .returning({ version: channels.version });
  return row?.version ?? 0;
};

/** Deletes a channel; its history is deleted afterwards (`erasures`). @returns the deleted row, or null */
export const deleteChannelRow = async (sql: ChangeTx, id: string): Promise<ChannelRow | null> => {
  const [row] = await sql.delete(channels).where(eq(channels.id, id)).returning();
  return row ?? null;
};

export const countMembers = (sql: Sql, channelId: string): Promise<number> =>
  sql.$count(channelMembers, eq(channelMembers.channelId, channelId));

/** The facts that decide whether these users may enter a channel. A user who was deleted is absent. */
export const listAccess = (
  sql: Sql,
  channelId: string,
  userIds: readonly string[],
): Promise<{ id: string; role: Session['role']; isMember: boolean }[]> =>
  sql
    .select({ id: users.id, role: users.role, isMember: expression<boolean>`${channelMembers.userId} is not null` })
    .from(users)
    .leftJoin(channelMembers, and(eq(channelMembers.userId, users.id), eq(channelMembers.channelId, channelId)))
    .where(isAnyOf(users.id, userIds));
