import { sql } from 'drizzle-orm';
import type { Db, Sql } from '#src/db/connect.ts';
import { instantOf } from '#src/db/list-sql.ts';
import { READING_LOCK } from '#src/db/locks.ts';
import { channelMembers } from '#src/db/schema/channels.ts';
import { messageCounters, messageFiles, messageMarks, messageReads, messages } from '#src/db/schema/messages.ts';
import { users } from '#src/db/schema/users.ts';

/** Deletes at most `limit` messages from before a moment, the oldest first. @returns how many, and the names of their files */
export const deleteMessagesBefore = async (
  db: Sql,
  before: Date,
  limit: number,
): Promise<{ count: number; storedNames: string[] }> => {
  const { rows } = await db.execute<{ count: number; names: string[] }>(sql`
    with old as materialized (
      select id from ${messages} where created_at < ${instantOf(before)} order by created_at limit ${limit}
    ), filed as (
      delete from ${messageFiles} where message_id = any(array(select id from old)) returning stored_name
    ), gone as (
      delete from ${messages} where id = any(array(select id from old))
    )
    select (select count(*)::int from old) as count, array(select stored_name from filed) as names`);
  const [{ count, names } = { count: 0, names: [] }] = rows;
  return { count, storedNames: names };
};

/** A range of `message_reads`, by its key. */
export interface RangeKey {
  channelId: string;
  userId: string;
  first: string;
}

export interface Compaction {
  /** The first range to look at; null: from the beginning. */
  from: RangeKey | null;
  /** Ranges that were read later are left as they are. */
  readBefore: Date;
  /** Messages that were read within this time of their sending count as read when they were sent. */
  liveMs: number;
  /** Maximum of ranges to look at. */
  limit: number;
}

/**
 * Merges ranges of one reader and channel that follow each other without a gap, if the later one was read as it was sent. For
 * its messages the time of reading is then the time of sending, which is the same but for `liveMs`. Deletes ranges of which no
 * message is left. One process at a time does this.
 * @returns where to go on; null at the end
 */
export const compactReads = (db: Db, { from, readBefore, liveMs, limit }: Compaction): Promise<RangeKey | null> =>
  db.transaction(async (tx) => {
    const lock = await tx.execute<{ mine: boolean }>(sql`select pg_try_advisory_xact_lock(${READING_LOCK}) as mine`);
    if (lock.rows[0]?.mine !== true) return null;
    const beginning =
      from === null
        ? sql`true`
        : sql`(channel_id, user_id, first_number) >= (${from.channelId}::uuid, ${from.userId}::uuid, ${from.first}::bigint)`;
    const { rows } = await tx.execute<{ total: number; channel_id: string; user_id: string; first_number: string }>(sql`
      with part as materialized (
        select ctid as place, * from ${messageReads} where ${beginning}
        order by channel_id, user_id, first_number limit ${limit}
      ), left_of as materialized (
        select channel_id, coalesce((select min(number) from ${messages} m where m.channel_id = c.channel_id), newest + 1) as number
        from ${messageCounters} c where channel_id in (select channel_id from part)
      ), told as (
        select part.*, read_at < ${instantOf(readBefore)} and lag(read_at) over reader <= read_at
          and lag(last_number) over reader = first_number - 1
          and read_at - sent.created_at < ${liveMs} * interval '1 ms' as continues
        from part left join ${messages} sent on sent.channel_id = part.channel_id and sent.number = part.first_number
        window reader as (partition by part.channel_id, part.user_id order by part.first_number)
      ), numbered as (
        select *, count(*) filter (where continues is not true)
          over (partition by channel_id, user_id order by first_number) as run from told
      ), runs as materialized (
        select channel_id, user_id, run, min(first_number) as first_number, max(last_number) as last_number, count(*) as ranges,
          max(last_number) < (select number from left_of where left_of.channel_id = numbered.channel_id) as is_over
        from numbered group by 1, 2, 3
      ), grown as (
        update ${messageReads} seen set last_number = greatest(seen.last_number, runs.last_number) from runs
        where ranges > 1 and is_over is not true and seen.channel_id = runs.channel_id and seen.user_id = runs.user_id
          and seen.first_number = runs.first_number
      ), gone as (
        delete from ${messageReads} where ctid = any(array(
          select place from numbered join runs using (channel_id, user_id, run)
          where is_over or numbered.first_number > runs.first_number))
      )
      select (select count(*)::int from part) as total, channel_id, user_id, first_number from runs
      order by channel_id desc, user_id desc, first_number desc limit 1`);
    const [last] = rows;
    if (last === undefined || last.total < limit) return null;
    // Goes on from the beginning of the last run, which may extend beyond this part.
    return { channelId: last.channel_id, userId: last.user_id, first: last.first_number };
  });

/**
 * Deletes at most `limit` marks that nobody needs: those of members who left the channel, when nothing that they read there is
 * left. If they come back, their reading begins anew (CHAT31). @returns how many there were
 */
export const deleteIdleMarks = async (db: Sql, limit: number): Promise<number> => {
  const { rowCount } = await db.execute(sql`
    delete from ${messageMarks} where ctid = any(array(
      select mark.ctid from ${messageMarks} mark join ${users} on ${users.id} = mark.user_id and ${users.role} = 'member'
      where not exists (select from ${channelMembers} m where m.channel_id = mark.channel_id and m.user_id = mark.user_id)
        and not exists (select from ${messageReads} r where r.channel_id = mark.channel_id and r.user_id = mark.user_id)
      limit ${limit}))`);
  return rowCount ?? 0;
};
