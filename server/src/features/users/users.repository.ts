import type { getAllUsers } from '@pressel/contract/users';
import { and, count, countDistinct, eq, sql as expression, getTableColumns, isNotNull, type SQL } from 'drizzle-orm';
import type * as z from 'zod';
import { lockUsers } from '#src/accounts/users.repository.ts';
import type { Sql } from '#src/db/connect.ts';
import {
  arrayOf,
  byText,
  dateContains,
  dateMayContain,
  foldedFilter,
  inOrder,
  isAnyOf,
  textContains,
} from '#src/db/list-sql.ts';
import { activityNames } from '#src/db/schema/activities.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';
import type { ChangeTx } from '#src/history/change.ts';
import { type LatestActivity, latestActivity } from '#src/history/latest.repository.ts';
import { inOrderOf } from '#src/shared/in-pieces.ts';

export type UsersQuery = z.output<(typeof getAllUsers)['body']>;
export type ShownUser = Omit<typeof users.$inferSelect, 'passwordHash' | 'searchText'>;
export interface ListedUser {
  user: ShownUser;
  latest: LatestActivity | null;
  isMember: boolean;
}

const { passwordHash: _hash, searchText: _text, ...shown } = getTableColumns(users);

/** How the column 'access to the map' is displayed. */
const YES_NO = { fr: ['Oui', 'Non'], en: ['Yes', 'No'], de: ['Ja', 'Nein'] } as const;

type Filter = Pick<UsersQuery, 'filter' | 'language' | 'timeZone' | 'activityTypes' | 'states'>;

const filterOf = (sql: Sql, query: Filter): SQL | undefined => {
  const wanted = foldedFilter(query);
  if (wanted === null) return undefined;
  const [yes, no] = YES_NO[query.language ?? 'fr'];
  const mapWord = expression`case when ${users.mapRight} then fold_text(${yes}) else fold_text(${no}) end`;
  const parts = [
    textContains(users.searchText, wanted),
    textContains(mapWord, wanted),
    dateContains(users.createdAt, wanted, query),
    ...phoneContains(query),
    ...stateIs(query),
    // Comes last, because it looks up the activity of every row that nothing before has found.
    ...lastActivityContains(sql, wanted, query),
  ];
  return expression`(${expression.join(parts, expression` or `)})`;
};

/** Characters that people write between the digits of a phone number. */
const BETWEEN_DIGITS = ' +.-()/';
/** Minimum of digits: fewer are part of every other number. */
const PHONE_MIN_DIGITS = 3;

/** Finds a number however it is written: '06 12' finds +33 6 12. */
function phoneContains({ filter = '' }: Filter): SQL[] {
  const isPhone = [...filter.trim()].every((char) => BETWEEN_DIGITS.includes(char) || /\d/u.test(char));
  const digits = filter.replace(/\D/gu, '').replace(/^0+/u, '');
  if (!isPhone || digits.length < PHONE_MIN_DIGITS) return [];
  return [expression`strpos(translate(${users.phoneNumber}, ${BETWEEN_DIGITS}, ''), ${digits}) > 0`];
}

const isOnline = expression<boolean>`exists (select 1 from ${userSockets} where ${userSockets.userId} = ${users.id})`;

const stateIs = ({ states = [] }: Filter): SQL[] =>
  states.map((state) => (state === 'online' ? isOnline : expression`not ${isOnline}`));

/**
 * Whether the last activity, as the row says it, contains the wanted text: its type by `activityTypes`, its channel, its
 * moment. The first condition is constant for the query and false for most filters. So activities are looked up only for
 * filters that can match one.
 */
function lastActivityContains(sql: Sql, wanted: SQL, query: Filter): SQL[] {
  const { activityTypes } = query;
  if (activityTypes === undefined) return [];
  const types = arrayOf('text', activityTypes);
  const latest = latestActivity(sql);
  // These texts are folded already. The log's names are worked out a little later than those of channels.
  const names = expression`select ${activityNames.name} from ${activityNames}
    where ${activityNames.kind} = 'channel' and ${textContains(activityNames.searchText, wanted)}
    union select ${channels.name} from ${channels} where ${textContains(channels.searchText, wanted)}`;
  const moment = (at: SQL) => dateContains(at, wanted, query);
  const found = expression`exists (select 1 from ${latest} where ${latest.type} = any(${types})
    or ${latest.channelName} in (${names}) or ${moment(expression`${latest.createdAt}`)})`;
  const none = activityTypes.includes('none') ? expression`not exists (select 1 from ${latest})` : expression`false`;
  return [
    expression`((cardinality(${types}) > 0 or exists (${names}) or ${dateMayContain(wanted, query)})
      and (${found} or ${none}))`,
  ];
}

const isMemberOf = (channelId: string) =>
  expression<boolean>`exists (select 1 from ${channelMembers}
    where ${channelMembers.channelId} = ${channelId} and ${channelMembers.userId} = ${users.id})`;

const whereOf = (sql: Sql, { ids, memberOf, onlyMembers, ...query }: UsersQuery): SQL | undefined =>
  and(
    ids === undefined ? undefined : isAnyOf(users.id, ids),
    filterOf(sql, query),
    onlyMembers && memberOf !== undefined ? isMemberOf(memberOf) : undefined,
  );

/** Sorts by the requested column, then by name, then by id, which makes the order stable. */
function orderOf(query: UsersQuery, latest: ReturnType<typeof latestActivity>): SQL[] {
  const { sort = 'lastName', order, memberOf, membersFirst } = query;
  const first = {
    firstName: () => byText(users.firstName, order),
    lastName: () => byText(users.lastName, order),
    login: () => byText(users.identifier, order),
    pseudo: () => byText(users.pseudo, order),
    mapRight: () => inOrder(users.mapRight, order),
    createdAt: () => inOrder(users.createdAt, order),
    lastActivity: () => inOrder(latest.createdAt, order),
    // Connected users come first.
    state: () => inOrder(expression`not ${isOnline}`, order),
  }[sort]();
  const members = membersFirst && memberOf !== undefined ? [inOrder(isMemberOf(memberOf), 'desc')] : [];
  return [...members, first, byText(users.lastName), byText(users.firstName), inOrder(users.id)];
}

/** The ids of a page of users, or of all without a limit, in order; and how many the filter finds. */
export async function findUserIds(sql: Sql, query: UsersQuery): Promise<{ ids: string[]; total: number }> {
  const { start = 0, limit } = query;
  const latest = latestActivity(sql);
  const where = whereOf(sql, query);
  const from = sql.select({ id: users.id, total: expression<number>`count(*) over ()`.mapWith(Number) }).from(users);
  // Reads only what sorting and filtering need: the rest is read for these rows alone.
  const found = (query.sort === 'lastActivity' ? from.leftJoinLateral(latest, expression`true`) : from)
    .where(where)
    .orderBy(...orderOf(query, latest))
    .offset(start);
  const rows = await (limit === undefined ? found : found.limit(limit));
  const total = rows[0]?.total ?? (start === 0 ? 0 : await sql.$count(users, where));
  return { ids: rows.map(({ id }) => id), total };
}

/** Reads users with the columns of a list, in the order of these ids. Leaves out deleted ones. */
export async function readUsers(sql: Sql, ids: readonly string[], memberOf?: string): Promise<ListedUser[]> {
  const latest = latestActivity(sql);
  const rows = await sql
    .select({
      user: shown,
      latest: { id: latest.id, type: latest.type, createdAt: latest.createdAt, channelName: latest.channelName },
      isMember: memberOf === undefined ? expression<boolean>`false` : isMemberOf(memberOf),
    })
    .from(users)
    .leftJoinLateral(latest, expression`true`)
    .where(isAnyOf(users.id, ids));
  return inOrderOf(ids, rows, ({ user }) => user.id);
}

/** The ids of all users that match a filter. */
export const listUserIds = async (sql: Sql, query: Filter): Promise<string[]> => {
  const rows = await sql.select({ id: users.id }).from(users).where(filterOf(sql, query)).orderBy(users.id);
  return rows.map(({ id }) => id);
};

/** Channels of these users, sorted by name. Users without channels have no entry. */
export async function listChannelsByUser(
  sql: Sql,
  userIds: readonly string[],
): Promise<Map<string, { id: string; name: string }[]>> {
  // Sorts the few channels instead of the many memberships.
  const rows = await sql
    .select({
      id: channels.id,
      name: channels.name,
      userIds: expression<string[]>`array_agg(${channelMembers.userId}::text)`,
    })
    .from(channels)
    .innerJoin(channelMembers, eq(channelMembers.channelId, channels.id))
    .where(isAnyOf(channelMembers.userId, userIds))
    .groupBy(channels.id)
    .orderBy(byText(channels.name), channels.id);
  const byUser = new Map<string, { id: string; name: string }[]>();
  for (const { userIds: ids, ...channel } of rows) {
    for (const id of ids) {
      const list = byUser.get(id);
      if (list === undefined) byUser.set(id, [channel]);
      else list.push(channel);
    }
  }
  return byUser;
}

/** Number of distinct users in a room now. */
export const countInRooms = async (sql: Sql): Promise<number> => {
  const [row] = await sql
    .select({ connected: countDistinct(userSockets.userId) })
    .from(userSockets)
    .where(isNotNull(userSockets.channelId));
  return row?.connected ?? 0;
};

export type UserRow = typeof users.$inferSelect;
export type NewUser = typeof users.$inferInsert;
export type DeletedUser = Pick<UserRow, 'id' | 'identifier' | 'firstName' | 'lastName' | 'pseudo' | 'role'> & {
  channels: number;
};

export const hasUsers = async (sql: Sql): Promise<boolean> => {
  const { rows } = await sql.execute<{ found: boolean }>(expression`select exists (select from ${users}) as found`);
  return rows[0]?.found ?? false;
};

export const insertUser = async (sql: ChangeTx, user: NewUser): Promise<void> => {
  await sql.insert(users).values(user);
};

export const findUserByLogin = async (sql: Sql, login: string): Promise<UserRow | null> => {
  const [row] = await sql
    .select()
    .from(users)
    .where(eq(expression`lower(${users.identifier})`, expression`lower(${login})`));
  return row ?? null;
};

export const findUser = async (sql: Sql, id: string): Promise<UserRow | null> => {
  const [row] = await sql.select().from(users).where(eq(users.id, id));
  return row ?? null;
};

/** Roles by user id; unknown ids have no entry. */
export const rolesOf = async (sql: Sql, ids: readonly string[]): Promise<Map<string, UserRow['role']>> => {
  const rows = await sql.select({ id: users.id, role: users.role }).from(users).where(isAnyOf(users.id, ids));
  return new Map(rows.map(({ id, role }) => [id, role]));
};

/** Changes the given columns and increments the version. @returns whether the user exists */
export const updateUserRow = async (
  sql: ChangeTx,
  id: string,
  change: Partial<Omit<NewUser, 'id' | 'identifier' | 'createdAt' | 'version'>>,
): Promise<boolean> => {
  const rows = await sql
    .update(users)
    .set({ ...change, version: expression`${users.version} + 1` })
    .where(eq(users.id, id))
    .returning({ id: users.id });
  return rows.length > 0;
};

/** Gives these users access to the map, or revokes it. @returns those who did not have it, or had it */
export const setMapRights = (sql: ChangeTx, ids: readonly string[], mapRight: boolean) => {
  const { id, firstName, lastName, pseudo } = users;
  return sql
    .update(users)
    .set({ mapRight, version: expression`${users.version} + 1` })
    .where(expression`${isAnyOf(users.id, ids)} and ${users.mapRight} <> ${mapRight}`)
    .returning({ id, firstName, lastName, pseudo });
};

/**
 * Deletes users with their sessions, memberships and sockets. Their history is deleted afterwards (`erasures`).
 * @returns those who existed, and in how many channels
 */
export const deleteUserRows = async (sql: ChangeTx, ids: readonly string[]): Promise<DeletedUser[]> => {
  await lockUsers(sql, ids, 'update');
  const memberships = await sql
    .select({ userId: channelMembers.userId, channels: count() })
    .from(channelMembers)
    .where(isAnyOf(channelMembers.userId, ids))
    .groupBy(channelMembers.userId);
  const channelsOf = new Map(memberships.map(({ userId, channels }) => [userId, channels]));
  const { id, identifier, firstName, lastName, pseudo, role } = users;
  const rows = await sql
    .delete(users)
    .where(isAnyOf(users.id, ids))
    .returning({ id, identifier, firstName, lastName, pseudo, role });
  return rows.map((row) => ({ ...row, channels: channelsOf.get(row.id) ?? 0 }));
};

export const countAdmins = async (sql: Sql): Promise<number> => {
  const [row] = await sql.select({ total: count() }).from(users).where(eq(users.role, 'admin'));
  return row?.total ?? 0;
};
