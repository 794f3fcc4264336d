import { and, eq, sql as expression, gte, lte, ne } from 'drizzle-orm';
import type { Sql, Tx } from '#src/db/connect.ts';
import { arrayOf, instantOf, isAnyOf } from '#src/db/list-sql.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { messageCounters, messageMarks, messageReads, messages } from '#src/db/schema/messages.ts';
import { users } from '#src/db/schema/users.ts';
import type { Range } from './reading.ts';

/** A channel and one of its readers. */
export interface Reader {
  channelId: string;
  userId: string;
}

export interface Mark {
  /** The channel's highest number. */
  newest: number;
  readUpTo: number;
}

/**
 * How far a user has read. Without a mark, a member has read up to where the channel was when they joined. An administrator who
 * is no member has then read all of it.
 */
export const findMark = async (sql: Sql, { channelId, userId }: Reader): Promise<Mark> => {
  const { rows } = await sql.execute<{ newest: string; read_up_to: string }>(expression`
    select coalesce(c.newest, 0) as newest,
      coalesce(greatest(k.read_up_to, m.messages_before), c.newest, 0) as read_up_to
    from (select ${channelId}::uuid as channel_id, ${userId}::uuid as user_id) who
    left join ${messageCounters} c using (channel_id)
    left join ${messageMarks} k using (channel_id, user_id)
    left join ${channelMembers} m using (channel_id, user_id)`);
  const [row] = rows;
  return { newest: Number(row?.newest ?? 0), readUpTo: Number(row?.read_up_to ?? 0) };
};

/**
 * Moves the mark forward, never back. Until the transaction ends, others can neither move it nor delete the user or the
 * channel. Returns null when one of these is gone.
 */
export const moveMark = async (
  tx: Tx,
  { channelId, userId }: Reader,
  to: number,
): Promise<{ readUpTo: number; recordedAt: Date | null } | null> => {
  const [row] = await tx
    .insert(messageMarks)
    .select(
      expression`select ${users.id}, ${channels.id}, ${to}::bigint, null::timestamptz from ${users}, ${channels}
        where ${users.id} = ${userId} and ${channels.id} = ${channelId} for key share`,
    )
    .onConflictDoUpdate({
      target: [messageMarks.channelId, messageMarks.userId],
      set: { readUpTo: expression`greatest(${messageMarks.readUpTo}, excluded.read_up_to)` },
    })
    .returning({ readUpTo: messageMarks.readUpTo, recordedAt: messageMarks.recordedAt });
  return row ?? null;
};

export const setRecordedAt = async (tx: Tx, { channelId, userId }: Reader, recordedAt: Date): Promise<void> => {
  await tx
    .update(messageMarks)
    .set({ recordedAt })
    .where(and(eq(messageMarks.channelId, channelId), eq(messageMarks.userId, userId)));
};

/** The stored ranges that begin within the given one, and the last one before it, in the order of their numbers. */
export const listSeen = async (
  tx: Tx,
  { channelId, userId }: Reader,
  { first, last }: Range,
): Promise<(Range & { readAt: Date })[]> => {
  const own = and(eq(messageReads.channelId, channelId), eq(messageReads.userId, userId));
  const before = tx
    .select({ first: expression`max(${messageReads.first})` })
    .from(messageReads)
    .where(and(own, expression`${messageReads.first} < ${first}`));
  return tx
    .select({ first: messageReads.first, last: messageReads.last, readAt: messageReads.readAt })
    .from(messageReads)
    .where(
      and(own, gte(messageReads.first, expression`coalesce((${before}), ${first})`), lte(messageReads.first, last)),
    )
    .orderBy(messageReads.first);
};

export const insertSeen = async (tx: Tx, reader: Reader, parts: readonly Range[], readAt: Date): Promise<void> => {
  if (parts.length === 0) return;
  await tx.insert(messageReads).values(parts.map((part) => ({ ...reader, ...part, readAt })));
};

/** Prolongs a stored range of seen messages: `last` is its new end. */
export const extendSeen = async (tx: Tx, { channelId, userId }: Reader, { first, last }: Range): Promise<void> => {
  await tx
    .update(messageReads)
    .set({ last })
    .where(and(eq(messageReads.channelId, channelId), eq(messageReads.userId, userId), eq(messageReads.first, first)));
};

/** Whether one of these numbers is a message of somebody else. */
export const hasOthers = async (tx: Tx, { channelId, userId }: Reader, { first, last }: Range): Promise<boolean> => {
  const rows = await tx
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.channelId, channelId),
        gte(messages.number, first),
        lte(messages.number, last),
        ne(messages.userId, userId),
      ),
    )
    .limit(1);
  return rows.length > 0;
};

/** Counts unread messages of others, up to a limit, in every channel of a user that has some. */
export const listUnread = async (
  sql: Sql,
  userId: string,
  limit: number,
): Promise<{ channelId: string; unread: number }[]> => {
  const { rows } = await sql.execute<{ channel_id: string; unread: string }>(expression`
    select m.channel_id, counted.unread
    from ${channelMembers} m
    join ${messageCounters} c using (channel_id)
    left join ${messageMarks} k using (channel_id, user_id)
    cross join lateral (select count(*) as unread from (
      select 1 from ${messages} x
      where x.channel_id = m.channel_id and x.number > greatest(k.read_up_to, m.messages_before)
        and x.user_id <> m.user_id and x.deleted_at is null
      limit ${limit}
    ) one) counted
    where m.user_id = ${userId} and c.newest > greatest(k.read_up_to, m.messages_before) and counted.unread > 0
    order by m.channel_id`);
  return rows.map((row) => ({ channelId: row.channel_id, unread: Number(row.unread) }));
};

/** Readers of a message, in order of the time at which they first had it on the screen: not before it was sent (CHAT34). */
export const listReaders = async (
  sql: Sql,
  message: { channelId: string; number: number; userId: string; createdAt: Date },
) => {
  const latest = sql
    .select({ last: messageReads.last, readAt: messageReads.readAt })
    .from(messageReads)
    .where(
      and(
        eq(messageReads.channelId, messageMarks.channelId),
        eq(messageReads.userId, messageMarks.userId),
        lte(messageReads.first, message.number),
      ),
    )
    .orderBy(expression`${messageReads.first} desc`)
    .limit(1)
    .as('latest');
  const readAt = expression`greatest(${latest.readAt}, ${instantOf(message.createdAt)})`.mapWith(messageReads.readAt);
  return sql
    .select({
      id: users.id,
      firstName: users.firstName,
      lastName: users.lastName,
      pseudo: users.pseudo,
      readAt,
    })
    .from(messageMarks)
    .innerJoin(users, eq(users.id, messageMarks.userId))
    .innerJoinLateral(latest, gte(latest.last, message.number))
    .where(and(eq(messageMarks.channelId, message.channelId), ne(messageMarks.userId, message.userId)))
    .orderBy(readAt, users.id);
};

/** Number of members of a channel, without one user. */
export const countOtherMembers = (sql: Sql, { channelId, userId }: Reader): Promise<number> =>
  sql.$count(channelMembers, and(eq(channelMembers.channelId, channelId), ne(channelMembers.userId, userId)));

/** Readers with a stored mark, among these users or in these channels. */
export const listReadersOf = (
  sql: Sql,
  kind: 'user' | 'channel',
  ownerIds: readonly string[],
  limit: number,
): Promise<Reader[]> =>
  sql
    .select({ channelId: messageMarks.channelId, userId: messageMarks.userId })
    .from(messageMarks)
    .where(isAnyOf(kind === 'user' ? messageMarks.userId : messageMarks.channelId, ownerIds))
    .limit(limit);

/**
 * Deletes at most `limit` ranges of these readers, the first ones of each: ranges read at one time lie side by side on the
 * disk. Deletes the marks of those who have no more ranges, since ranges are found by marks.
 */
export const deleteReading = async (sql: Sql, readers: readonly Reader[], limit: number): Promise<void> => {
  const channelIds = readers.map(({ channelId }) => channelId);
  const userIds = readers.map(({ userId }) => userId);
  const each = Math.max(1, Math.floor(limit / readers.length));
  await sql.execute(expression`
    with next as materialized (
      select reader.*, one.place
      from unnest(${arrayOf('uuid', channelIds)}, ${arrayOf('uuid', userIds)}) reader (channel_id, user_id)
      left join lateral (
        select ctid as place from ${messageReads} seen
        where seen.channel_id = reader.channel_id and seen.user_id = reader.user_id
        order by seen.first_number limit ${each}) one on true
    ), gone as (
      delete from ${messageReads} where ctid = any(array(select place from next where place is not null))
    ), finished as (
      select channel_id, user_id from next group by 1, 2 having count(place) < ${each}
    )
    delete from ${messageMarks} mark using finished
    where mark.channel_id = finished.channel_id and mark.user_id = finished.user_id`);
};
