import { and, asc, desc, eq, sql as expression, gt, gte, isNull, lt, type SQL } from 'drizzle-orm';
import { mayReadAnyChannel } from '#src/accounts/policies.ts';
import type { Session } from '#src/accounts/session.ts';
import type { Sql, Tx } from '#src/db/connect.ts';
import { arrayOf } from '#src/db/list-sql.ts';
import { type PreparedStatement, prepared } from '#src/db/prepared-statement.ts';
import { messageCounters, messageFiles, messages } from '#src/db/schema/messages.ts';
import { actorOf, type RecordWithin } from '#src/history/change.ts';
import { accessValues, lockingAccess } from './channel-access.repository.ts';

const given = expression.placeholder;
type RecordOne = Pick<RecordWithin, 'insert' | 'values'>;

/**
 * Stores a message under the channel's next number, with its activity.
 * @returns null when the sender has no access to the channel
 */
export type InsertMessage = (
  sql: Sql,
  message: NewMessage,
  sender: Session,
) => Promise<{ number: number; channelName: string } | null>;

/**
 * Runs as one statement that is a transaction by itself, because a channel's messages wait for each other. Four round trips
 * took half of what a message took, and planning it most of the rest. The next one to store there waits until it is committed.
 */
export function createInsertMessage(record: RecordOne): InsertMessage {
  const statementFor = (
    isMembershipNeeded: boolean,
    hasFile: boolean,
  ): PreparedStatement<{ number: string; name: string }> =>
    prepared((sql) => insertStatement(lockingAccess(sql, isMembershipNeeded), record, hasFile));
  const statements = {
    member: { plain: statementFor(true, false), withFile: statementFor(true, true) },
    anyone: { plain: statementFor(false, false), withFile: statementFor(false, true) },
  };
  return async (sql, { file, createdAt, ...message }, sender) => {
    const { plain, withFile } = statements[mayReadAnyChannel(sender) ? 'anyone' : 'member'];
    const type = file === null ? 'message_send' : 'image_send';
    const { rows } = await (file === null ? plain : withFile)(sql, {
      ...accessValues(message.channelId, sender),
      ...record.values({ type, user: actorOf(sender), at: createdAt }),
      ...message,
      createdAt: createdAt.toISOString(),
      ...file,
    });
    const [row] = rows;
    return row === undefined ? null : { number: Number(row.number), channelName: row.name };
  };
}

const insertStatement = (access: SQL, record: RecordOne, hasFile: boolean): SQL => {
  const filed = expression`, filed as (
    insert into ${messageFiles} (message_id, stored_name, file_name, width, height, bytes)
    select ${given('id')}::uuid, ${given('storedName')}, ${given('fileName')}, ${given('width')}, ${given('height')},
      ${given('bytes')}
    from sent
  )`;
  return expression`
    with channel_access as (${access}),
    counted as (
      insert into ${messageCounters} (channel_id, newest) select id, 1 from channel_access
      on conflict (channel_id) do update set newest = ${messageCounters.newest} + 1
      returning newest
    ),
    stored as (
      insert into ${messages} (id, channel_id, number, user_id, user_display_name, text, client_id, created_at)
      select ${given('id')}, channel_access.id, newest, ${given('userId')}, ${given('userDisplayName')},
        ${given('text')}, ${given('clientId')}, ${given('createdAt')}::timestamptz
      from channel_access, counted
      returning number
    ),
    sent as (select id, name, number from channel_access, stored),
    recorded as (${record.insert(expression`sent`)})
    ${hasFile ? filed : expression``}
    select number, name from sent`;
};

export const findFile = async (sql: Sql, storedName: string): Promise<{ fileName: string } | null> => {
  const [row] = await sql
    .select({ fileName: messageFiles.fileName })
    .from(messageFiles)
    .where(eq(messageFiles.storedName, storedName));
  return row ?? null;
};

/** The names among these that a message has. */
export const knownNames = async (sql: Sql, storedNames: readonly string[]): Promise<Set<string>> => {
  const rows = await sql
    .select({ storedName: messageFiles.storedName })
    .from(messageFiles)
    .where(expression`${messageFiles.storedName} = any(${arrayOf('text', storedNames)})`);
  return new Set(rows.map(({ storedName }) => storedName));
};

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
