import { sql as expression, type SQL } from 'drizzle-orm';
import { mayReadAnyChannel } from '#src/accounts/policies.ts';
import type { Session } from '#src/accounts/session.ts';
import type { Sql } from '#src/db/connect.ts';
import { type PreparedStatement, prepared } from '#src/db/prepared-statement.ts';
import { messageCounters, messageFiles, messages } from '#src/db/schema/messages.ts';
import { actorOf, type RecordWithin } from '#src/history/change.ts';
import { accessValues, lockingAccess } from './channel-access.repository.ts';
import type { NewMessage } from './messages.repository.ts';

const given = expression.placeholder;

/**
 * Stores a message under the channel's next number, with its activity. @returns null when the sender has no place there
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
export function createInsertMessage(record: RecordWithin): InsertMessage {
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

const insertStatement = (place: SQL, record: RecordWithin, hasFile: boolean): SQL => {
  const filed = expression`, filed as (
    insert into ${messageFiles} (message_id, stored_name, file_name, width, height, bytes)
    select ${given('id')}::uuid, ${given('storedName')}, ${given('fileName')}, ${given('width')}, ${given('height')},
      ${given('bytes')}
    from sent
  )`;
  return expression`
    with place as (${place}),
    counted as (
      insert into ${messageCounters} (channel_id, newest) select id, 1 from place
      on conflict (channel_id) do update set newest = ${messageCounters.newest} + 1
      returning newest
    ),
    stored as (
      insert into ${messages} (id, channel_id, number, user_id, user_display_name, text, client_id, created_at)
      select ${given('id')}, place.id, newest, ${given('userId')}, ${given('userDisplayName')}, ${given('text')},
        ${given('clientId')}, ${given('createdAt')}::timestamptz
      from place, counted
      returning number
    ),
    sent as (select id, name, number from place, stored),
    recorded as (${record.insert(expression`sent`)})
    ${hasFile ? filed : expression``}
    select number, name from sent`;
};
