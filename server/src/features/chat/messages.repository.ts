import { and, asc, desc, eq, sql as expression, gt, gte, isNull, lt, type SQL } from 'drizzle-orm';
import type { Sql, Tx } from '#src/db/connect.ts';
import { arrayOf } from '#src/db/list-sql.ts';
import { messageFiles, messages } from '#src/db/schema/messages.ts';

type FileRow = typeof messageFiles.$inferSelect;
export type NewMessage = Omit<MessageRow, 'number'>;
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

/** The message to which a sender gave this id; 'deleted' when it was deleted since. */
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

/** The ids among these that their senders gave to a message before: '<sender> <id>' each. */
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

/** Deletes a message's text and file; its number and its sender's id of it stay taken. @returns the file's name */
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
