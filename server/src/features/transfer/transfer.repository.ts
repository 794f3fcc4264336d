import { asc, sql as expression, type SQL } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type { Sql } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { messageCounters } from '#src/db/schema/messages.ts';
import { users } from '#src/db/schema/users.ts';
import type { ChangeTx } from '#src/history/change.ts';
import { inOrderOf, portionsOf } from '#src/shared/in-pieces.ts';

/** The row of a user to import. */
export type NewUser = Required<
  Pick<
    typeof users.$inferInsert,
    'id' | 'identifier' | 'firstName' | 'lastName' | 'pseudo' | 'passwordHash' | 'role' | 'mapRight' | 'phoneNumber'
  >
>;
export type NewChannel = Pick<typeof channels.$inferInsert, 'id' | 'name' | 'rtcSession'>;
export type NewMembership = Pick<typeof channelMembers.$inferInsert, 'userId' | 'channelId'>;

/** Maximum of rows in one statement: their JSON is made at once, on the thread that everybody needs. */
const ROWS_AT_ONCE = 10_000;

/** A list as a single JSON parameter: thousands of placeholders are slow, and some drivers refuse that many. */
const elementsOf = (texts: readonly string[]): SQL =>
  expression`(select jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb))`;

const byName = (column: AnyPgColumn) => asc(expression`${column} collate natural_order`);

/** The logins among these, in lower case, that exist. */
export const existingLogins = async (sql: Sql, logins: readonly string[]): Promise<Set<string>> => {
  if (logins.length === 0) return new Set();
  const login = expression<string>`lower(${users.identifier})`;
  const rows = await sql
    .select({ login })
    .from(users)
    .where(expression`${login} in ${elementsOf(logins)}`);
  return new Set(rows.map((row) => row.login));
};

/** The room keys of all channels. */
export const listChannelKeys = async (sql: Sql): Promise<Set<string>> => {
  const rows = await sql.select({ key: channels.rtcSession }).from(channels);
  return new Set(rows.map((row) => row.key));
};

/** The room keys among these that exist. */
export const existingKeys = async (sql: Sql, keys: readonly string[]): Promise<Set<string>> => {
  if (keys.length === 0) return new Set();
  const rows = await sql
    .select({ key: channels.rtcSession })
    .from(channels)
    .where(expression`${channels.rtcSession} in ${elementsOf(keys)}`);
  return new Set(rows.map((row) => row.key));
};

/** Ids of the channels by room key. Locks the rows, so that none is deleted or renamed until the transaction ends. */
export const lockChannelsForKeyShare = async (sql: Sql, keys: readonly string[]): Promise<Map<string, string>> => {
  if (keys.length === 0) return new Map();
  const rows = await sql
    .select({ id: channels.id, key: channels.rtcSession })
    .from(channels)
    .where(expression`${channels.rtcSession} in ${elementsOf(keys)}`)
    .orderBy(asc(channels.id))
    .for('key share');
  return new Map(rows.map(({ key, id }) => [key, id]));
};

/** The ids of all users, sorted by last name, then first name. */
export const listUserIdsToExport = async (sql: Sql): Promise<string[]> => {
  const rows = await sql
    .select({ id: users.id })
    .from(users)
    .orderBy(byName(users.lastName), byName(users.firstName), asc(users.id));
  return rows.map(({ id }) => id);
};

/** Reads these users in the order of the ids. Leaves out deleted ones. */
export const readUsersToExport = async (sql: Sql, ids: readonly string[]) => {
  const rows = await sql
    .select({
      id: users.id,
      firstName: users.firstName,
      lastName: users.lastName,
      identifier: users.identifier,
      pseudo: users.pseudo,
      mapRight: users.mapRight,
      phoneNumber: users.phoneNumber,
      role: users.role,
    })
    .from(users)
    .where(isAnyOf(users.id, ids));
  return inOrderOf(ids, rows, ({ id }) => id);
};

/** All channels, sorted by name. */
export const listChannelNames = (sql: Sql): Promise<{ id: string; name: string }[]> =>
  sql.select({ id: channels.id, name: channels.name }).from(channels).orderBy(byName(channels.name), asc(channels.id));

/** Channel ids of these users, unsorted, aggregated because one row per membership would be ten times as many. */
export const listChannelIdsByUser = (
  sql: Sql,
  userIds: readonly string[],
): Promise<{ userId: string; channelIds: string[] }[]> =>
  sql
    .select({
      userId: channelMembers.userId,
      channelIds: expression<string[]>`json_agg(${channelMembers.channelId})`,
    })
    .from(channelMembers)
    .where(isAnyOf(channelMembers.userId, userIds))
    .groupBy(channelMembers.userId);

/**
 * Passes rows as one parameter of JSON: a placeholder for each value is slow to build. Columns that are not named keep their
 * defaults.
 */
export const insertUsers = async (sql: ChangeTx, rows: readonly NewUser[]): Promise<void> => {
  for (const chunk of portionsOf(rows, ROWS_AT_ONCE)) {
    await sql.execute(expression`
      insert into ${users} (id, identifier, first_name, last_name, pseudo, password_hash, role, map_right, phone_number)
      select * from jsonb_to_recordset(${JSON.stringify(chunk)}::jsonb) as r(
        "id" uuid, "identifier" text, "firstName" text, "lastName" text,
        "pseudo" text, "passwordHash" text, "role" text, "mapRight" boolean, "phoneNumber" text
      )`);
  }
};

export const insertMemberships = async (sql: ChangeTx, rows: readonly NewMembership[]): Promise<void> => {
  for (const chunk of portionsOf(rows, ROWS_AT_ONCE)) {
    await sql.execute(expression`
      insert into ${channelMembers} (user_id, channel_id, messages_before)
      select "userId", "channelId", coalesce(newest, 0)
      from jsonb_to_recordset(${JSON.stringify(chunk)}::jsonb) as r("userId" uuid, "channelId" uuid)
      left join ${messageCounters} on channel_id = "channelId"`);
  }
};

/** Inserts the channels whose key is free. @returns the ids of those inserted */
export const insertChannels = async (sql: ChangeTx, rows: readonly NewChannel[]): Promise<Set<string>> => {
  const added = new Set<string>();
  for (const chunk of portionsOf(rows, ROWS_AT_ONCE)) {
    const { rows: inserted } = await sql.execute<{ id: string }>(expression`
      insert into ${channels} (id, name, rtc_session)
      select * from jsonb_to_recordset(${JSON.stringify(chunk)}::jsonb) as r("id" uuid, "name" text, "rtcSession" text)
      on conflict (rtc_session) do nothing
      returning id`);
    for (const { id } of inserted) added.add(id);
  }
  return added;
};
