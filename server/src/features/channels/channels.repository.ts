import type { getAllChannels, getUsersInChannel } from '@pressel/contract/channels';
import { and, count, eq, sql as expression, type SQL } from 'drizzle-orm';
import type * as z from 'zod';
import type { Session } from '#src/accounts/session.ts';
import type { Sql } from '#src/db/connect.ts';
import { byText, dateContains, foldedFilter, inOrder, isAnyOf, type Page, textContains } from '#src/db/list-sql.ts';
import { preparedBuilt } from '#src/db/prepared-statement.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';
import type { ChangeTx } from '#src/history/change.ts';
import { inOrderOf } from '#src/shared/in-pieces.ts';

export type ChannelsQuery = z.output<(typeof getAllChannels)['body']>;
export type MembersQuery = z.output<(typeof getUsersInChannel)['body']>;
export type ListedChannel = Omit<typeof channels.$inferSelect, 'searchText'> & {
  userCount: number;
  connected: number;
};

const columns = {
  id: channels.id,
  name: channels.name,
  rtcSession: channels.rtcSession,
  talkMode: channels.talkMode,
  createdAt: channels.createdAt,
  version: channels.version,
};

const userCount = expression<number>`(select count(*) from ${channelMembers}
  where ${channelMembers.channelId} = ${channels.id})`.mapWith(Number);
/** Number of distinct users in the room now. */
const connected = expression<number>`(select count(distinct ${userSockets.userId}) from ${userSockets}
  where ${userSockets.channelId} = ${channels.id})`.mapWith(Number);

const filterOf = (query: Pick<ChannelsQuery, 'filter' | 'language' | 'timeZone'>): SQL | undefined => {
  const wanted = foldedFilter(query);
  if (wanted === null) return undefined;
  return expression`(${textContains(channels.searchText, wanted)} or ${dateContains(channels.createdAt, wanted, query)}
    or (${wanted} ~ '^[0-9/]+$' and strpos(${connected} || '/' || ${userCount}, ${wanted}) > 0))`;
};

const hasMember = (memberId: string): SQL =>
  expression`${channels.id} in (select ${channelMembers.channelId} from ${channelMembers}
    where ${channelMembers.userId} = ${memberId})`;

function orderOf({ sort = 'name', order, first: chosen = [] }: ChannelsQuery): SQL[] {
  const first = {
    name: () => byText(channels.name, order),
    users: () => inOrder(userCount, order),
    talkMode: () => inOrder(channels.talkMode, order),
    createdAt: () => inOrder(channels.createdAt, order),
  }[sort]();
  const ahead = chosen.length === 0 ? [] : [inOrder(isAnyOf(channels.id, chosen), 'desc')];
  return [...ahead, first, byText(channels.name), inOrder(channels.id)];
}

/** A page of the channels (all of them without a limit), optionally only those of one member. */
export async function listChannels(sql: Sql, query: ChannelsQuery, memberId?: string): Promise<Page<ListedChannel>> {
  const { start = 0, limit } = query;
  const where = and(
    memberId === undefined ? undefined : hasMember(memberId),
    query.ids === undefined ? undefined : isAnyOf(channels.id, query.ids),
    filterOf(query),
  );
  const order = orderOf(query);
  const countFound = async () => (await sql.select({ total: count() }).from(channels).where(where))[0]?.total ?? 0;
  if (limit === undefined) {
    const rows = await sql
      .select({ ...columns, userCount, connected })
      .from(channels)
      .where(where)
      .orderBy(...order)
      .offset(start);
    return { rows, total: start === 0 ? rows.length : await countFound() };
  }
  // Selects the page's ids first, so that members and participants are counted for its rows only.
  const page = sql
    .select({ id: channels.id, total: expression<number>`count(*) over ()`.mapWith(Number).as('total') })
    .from(channels)
    .where(where)
    .orderBy(...order)
    .limit(limit)
    .offset(start)
    .as('page');
  const rows = await sql
    .select({ ...columns, userCount, connected, total: page.total })
    .from(page)
    .innerJoin(channels, eq(channels.id, page.id))
    .orderBy(...order);
  const total = rows[0]?.total ?? (start === 0 ? 0 : await countFound());
  return { rows: rows.map(({ total: _total, ...row }) => row), total };
}

/** The ids of all channels that match a filter. */
export const listChannelIds = async (sql: Sql, query: Parameters<typeof filterOf>[0]): Promise<string[]> => {
  const rows = await sql.select({ id: channels.id }).from(channels).where(filterOf(query)).orderBy(channels.id);
  return rows.map(({ id }) => id);
};

/** Member ids by channel id. Channels without members have no entry. */
export async function listMembersByChannel(sql: Sql, channelIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await sql
    .select({
      channelId: channelMembers.channelId,
      // JSON is read a hundred times as fast as an array of PostgreSQL.
      userIds: expression<string[]>`json_agg(${channelMembers.userId})`,
    })
    .from(channelMembers)
    .where(isAnyOf(channelMembers.channelId, channelIds))
    .groupBy(channelMembers.channelId);
  return new Map(rows.map((row) => [row.channelId, row.userIds]));
}

/** The columns that members may see of each other. */
const person = {
  id: users.id,
  firstName: users.firstName,
  lastName: users.lastName,
  pseudo: users.pseudo,
  role: users.role,
  photoId: users.photoId,
};

/** Finds every word, in the visible columns only: the users' search text includes the login, which members must not find out. */
const memberFilterOf = (query: MembersQuery): SQL | undefined => {
  const wanted = foldedFilter(query);
  if (wanted === null) return undefined;
  const names = expression`fold_text(${users.firstName} || ' ' || ${users.lastName} || ' ' || ${users.pseudo})`;
  return expression`(select bool_and(strpos(${names}, word) > 0) from unnest(string_to_array(${wanted}, ' ')) word)`;
};

const isInRoom = (channelId: string): SQL =>
  expression`${users.id} in (select ${userSockets.userId} from ${userSockets}
    where ${userSockets.channelId} = ${channelId})`;

const isConnected: SQL = expression`${users.id} in (select ${userSockets.userId} from ${userSockets})`;

/**
 * The ids of members of a channel, sorted by name as it is shown: first name, last name, then pseudo. Returns a page of them,
 * or all without a limit, and how many the list has.
 */
export async function findMemberIds(sql: Sql, query: MembersQuery): Promise<{ ids: string[]; total: number }> {
  const { channelId, start = 0, limit, order, userIds } = query;
  const where = and(
    eq(channelMembers.channelId, channelId),
    memberFilterOf(query),
    query.onlyConnected ? isInRoom(channelId) : undefined,
  );
  const found = sql
    .select({ id: users.id, total: expression<number>`count(*) over ()`.mapWith(Number) })
    .from(channelMembers)
    .innerJoin(users, eq(users.id, channelMembers.userId))
    .where(userIds === undefined ? where : and(where, isAnyOf(users.id, userIds)))
    .orderBy(
      ...(query.presentFirst ? [inOrder(isInRoom(channelId), 'desc'), inOrder(isConnected, 'desc')] : []),
      byText(users.firstName, order),
      byText(users.lastName, order),
      byText(users.pseudo, order),
      inOrder(users.id, order),
    )
    .offset(start);
  const rows = await (limit === undefined ? found : found.limit(limit));
  const ids = rows.map(({ id }) => id);
  if (userIds === undefined && (rows.length > 0 || start === 0)) return { ids, total: rows[0]?.total ?? 0 };
  const [all] = await sql
    .select({ total: count() })
    .from(channelMembers)
    .innerJoin(users, eq(users.id, channelMembers.userId))
    .where(where);
  return { ids, total: all?.total ?? 0 };
}

/** Reads these users as members may see them, in the order of the ids. Leaves out deleted ones. */
export const readMembers = async (sql: Sql, ids: readonly string[]) =>
  inOrderOf(ids, await sql.select(person).from(users).where(isAnyOf(users.id, ids)), ({ id }) => id);

export type ChannelRow = typeof channels.$inferSelect;

export const findChannel = async (sql: Sql, id: string): Promise<ChannelRow | null> => {
  const [row] = await sql.select().from(channels).where(eq(channels.id, id));
  return row ?? null;
};

export type FoundForMember = { channel: ChannelRow; isMember: boolean } | null;

const forMember = { channel: channels, isMember: expression<boolean>`${channelMembers.userId} is not null` };
const forMembersById = preparedBuilt('channels_for_members', (sql) =>
  sql
    .select({ at: expression<number>`asked.at::int`, ...forMember })
    .from(
      // Hides the values from the planner, so that it makes one plan for all of them.
      expression`unnest((select ${expression.placeholder('ids')}::uuid[]), (select ${expression.placeholder('userIds')}::uuid[]))
        with ordinality as asked (id, user_id, at)`,
    )
    .innerJoin(channels, expression`${channels.id} = asked.id`)
    .leftJoin(
      channelMembers,
      and(eq(channelMembers.channelId, channels.id), expression`${channelMembers.userId} = asked.user_id`),
    ),
);
const forMemberByKey = preparedBuilt('channel_of_key_for_member', (sql) =>
  sql
    .select(forMember)
    .from(channels)
    .leftJoin(
      channelMembers,
      and(eq(channelMembers.channelId, channels.id), eq(channelMembers.userId, expression.placeholder('userId'))),
    )
    .where(eq(channels.rtcSession, expression.placeholder('key'))),
);

/** Channels by their ids, and whether each one's user was a member of it at the same moment, in the order of the questions. */
export async function findForMembers(
  sql: Sql,
  questions: readonly { id: string; userId: string }[],
): Promise<FoundForMember[]> {
  const rows = await forMembersById(sql, {
    ids: questions.map(({ id }) => id),
    userIds: questions.map(({ userId }) => userId),
  });
  const found = new Map(rows.map((row) => [row.at, row]));
  return questions.map((_, index) => found.get(index + 1) ?? null);
}

/** The same for one channel by its room key. */
export const findForMemberByKey = async (sql: Sql, key: string, userId: string): Promise<FoundForMember> =>
  (await forMemberByKey(sql, { key, userId }))[0] ?? null;

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
