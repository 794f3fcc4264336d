import { and, asc, desc, eq, sql as expression, gt, gte, isNull, lt, type SQL } from 'drizzle-orm';
import type { Sql, Tx } from '#src/db/connect.ts';
import { runKept } from '#src/db/kept-plan.ts';
import { messageCounters, messageFiles, messages } from '#src/db/schema/messages.ts';
import { arrayOf, instantOf } from '#src/shared/list-sql.ts';

type FileRow = typeof messageFiles.$inferSelect;
type NewMessage = Omit<MessageRow, 'number'>;
export type NewFile = Omit<FileRow, 'messageId'>;

/** A message that was not deleted, with its image. */
export interface MessageRow {
  id: string;
  channelId: string;
  number: number;
  userId: string;
  userDisplayName: string;
  text: string;
  clientId: string;
  createdAt: Date;
  file: NewFile | null;
}

const { id, channelId, number, userId, userDisplayName, text, clientId, createdAt } = messages;
const { storedName, fileName, width, height, bytes } = messageFiles;
const columns = {
  ...{ id, channelId, number, userId, userDisplayName, text, clientId, createdAt },
  file: { storedName, fileName, width, height, bytes },
};

const select = (sql: Sql) => sql.select(columns).from(messages).leftJoin(messageFiles, eq(messageFiles.messageId, id));

/** What a message is stored with, in the statement that stores it. */
export interface Surroundings {
  /** A query that gives the channel's id and name, and locks it; without a row nothing is stored. */
  place: SQL;
  /** Inserts the activity; reads the channel from `sent`. */
  recording(sent: SQL): SQL;
}

/**
 * Stores a message under the channel's next number. It is one statement and a transaction by itself, because a channel's
 * messages wait for each other: four round trips took half of what a message took, and planning it most of the rest. Whoever stores there next waits until
 * it is committed.
 * @returns null without a place
 */
export const insertMessage = async (
  sql: Sql,
  message: NewMessage,
  { place, recording }: Surroundings,
): Promise<number | null> => {
  const { file } = message;
  const filed = expression`, filed as (
    insert into ${messageFiles} (message_id, stored_name, file_name, width, height, bytes)
    select ${message.id}::uuid, ${file?.storedName}, ${file?.fileName}, ${file?.width}, ${file?.height}, ${file?.bytes}
    from sent
  )`;
  const statement = expression`
    with place as (${place}),
    counted as (
      insert into ${messageCounters} (channel_id, newest) select id, 1 from place
      on conflict (channel_id) do update set newest = ${messageCounters.newest} + 1
      returning newest
    ),
    stored as (
      insert into ${messages} (id, channel_id, number, user_id, user_display_name, text, client_id, created_at)
      select ${message.id}, place.id, newest, ${message.userId}, ${message.userDisplayName}, ${message.text},
        ${message.clientId}, ${instantOf(message.createdAt)}
      from place, counted
      returning number
    ),
    sent as (select id, name, number from place, stored),
    recorded as (${recording(expression`sent`)})
    ${file === null ? expression`` : filed}
    select number from sent`;
  const { rows } = await runKept<{ number: string }>(sql, statement);
  const [row] = rows;
  return row === undefined ? null : Number(row.number);
};

/** The message that a sender gave this id to; 'deleted' when it was deleted since. */
export const findSent = async (sql: Sql, sender: string, given: string): Promise<MessageRow | 'deleted' | null> => {
  const [row] = await sql
    .select({ ...columns, deletedAt: messages.deletedAt })
    .from(messages)
    .leftJoin(messageFiles, eq(messageFiles.messageId, id))
    .where(and(eq(userId, sender), eq(clientId, given)));
  if (row === undefined) return null;
  const { deletedAt, ...message } = row;
  return deletedAt === null ? message : 'deleted';
};

/** Which of these ids their senders gave to a message before: '<sender> <id>' each. */
export const findGiven = async (
  sql: Sql,
  asked: readonly { sender: string; given: string | null }[],
): Promise<string[]> => {
  const named = asked.filter(({ given }) => given !== null);
  const senders = arrayOf(
    'uuid',
    named.map(({ sender }) => sender),
  );
  const ids = arrayOf(
    'uuid',
    named.map(({ given }) => given ?? ''),
  );
  const { rows } = await sql.execute<{ key: string }>(expression`
    select ${userId} || ' ' || ${clientId} as key from ${messages}
    where (${userId}, ${clientId}) in (select * from unnest(${senders}, ${ids}))`);
  return rows.map(({ key }) => key);
};

/** A message that exists, locked until the transaction ends. */
export const lockMessage = async (tx: Tx, messageId: string) => {
  const [row] = await tx
    .select({ id, channelId, number, userId, userDisplayName, createdAt })
    .from(messages)
    .where(and(eq(id, messageId), isNull(messages.deletedAt)))
    .for('update');
  return row ?? null;
};

export const findMessage = async (sql: Sql, messageId: string) => {
  const [row] = await sql
    .select({ id, channelId, number, userId, createdAt })
    .from(messages)
    .where(and(eq(id, messageId), isNull(messages.deletedAt)));
  return row ?? null;
};

/** Takes a message's text and file away; its number and its sender's id of it stay taken. @returns the file's name */
export const eraseMessage = async (tx: Tx, messageId: string, deletedAt: Date): Promise<string | null> => {
  await tx.update(messages).set({ text: '', deletedAt }).where(eq(id, messageId));
  const [file] = await tx.delete(messageFiles).where(eq(messageFiles.messageId, messageId)).returning({ storedName });
  return file?.storedName ?? null;
};

/** At most `limit` messages of a channel from one number on, in the direction of `order`. */
async function listFrom(
  sql: Sql,
  channel: string,
  bound: SQL | undefined,
  order: 'older' | 'newer',
  limit: number,
): Promise<MessageRow[]> {
  return select(sql)
    .where(and(eq(channelId, channel), isNull(messages.deletedAt), bound))
    .orderBy(order === 'older' ? desc(number) : asc(number))
    .limit(limit);
}

/** The messages before a number, or the newest ones; newest first. */
export const listBefore = (sql: Sql, channel: string, before: number | null, limit: number) =>
  listFrom(sql, channel, before === null ? undefined : lt(number, before), 'older', limit);

/** The messages from a number on, oldest first. */
export const listSince = (sql: Sql, channel: string, since: number, limit: number) =>
  listFrom(sql, channel, gte(number, since), 'newer', limit);

/** The messages that contain a text, newest first. */
export const listContaining = (sql: Sql, channel: string, wanted: string, before: number | null, limit: number) =>
  listFrom(
    sql,
    channel,
    and(
      before === null ? undefined : lt(number, before),
      expression`strpos(${messages.searchText}, fold_text(${wanted})) > 0`,
    ),
    'older',
    limit,
  );

export const countOthersBetween = async (
  sql: Sql,
  { channel, reader, after, limit }: { channel: string; reader: string; after: number; limit: number },
): Promise<number> => {
  const some = sql
    .select({ one: expression`1` })
    .from(messages)
    .where(
      and(eq(channelId, channel), gt(number, after), isNull(messages.deletedAt), expression`${userId} <> ${reader}`),
    )
    .limit(limit)
    .as('some');
  const [row] = await sql.select({ count: expression`count(*)`.mapWith(Number) }).from(some);
  return row?.count ?? 0;
};
