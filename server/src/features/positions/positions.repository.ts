import type { ChannelId, UserId } from '@pressel/contract/ids';
import { POSITION_ENTRY_MS } from '@pressel/contract/limits';
import { and, asc, eq, sql as expression, gt, inArray, lt, type SQL } from 'drizzle-orm';
import { displayName } from '#src/accounts/present-user.ts';
import type { Sql } from '#src/db/connect.ts';
import { arrayOf, instantOf, isAnyOf } from '#src/db/list-sql.ts';
import { prepared } from '#src/db/prepared-statement.ts';
import { channelMembers } from '#src/db/schema/channels.ts';
import { lastPositions, userPositions } from '#src/db/schema/positions.ts';
import { users } from '#src/db/schema/users.ts';
import type { LoggedAct, RecordWithin } from '#src/history/change.ts';
import { latestActivity, positionColumns } from '#src/history/latest.repository.ts';

/** A position of somebody. */
export interface Position {
  readonly userId: UserId;
  readonly lat: number;
  readonly lng: number;
  /** Metres; null when unknown. */
  readonly accuracy: number | null;
  readonly recordedAt: Date;
}

/** By user: when the log got the last entry of their positions, ms. */
export type StoredPositions = ReadonlyMap<string, number>;

/** Hundreds of positions a second come in some forty statements, each of which would be planned anew. */
interface PositionStatements {
  /**
   * Stores positions that are newer than the last known ones, at most one of each user.
   * @param entries what the log says of each user who is due; none when nobody can be
   * @returns the users whose position was stored
   */
  store(sql: Sql, positions: readonly Position[], entries: readonly LoggedAct[], now: Date): Promise<StoredPositions>;
}

export function createPositionStatements(record: Pick<RecordWithin, 'insertSome' | 'valuesOfAll'>): PositionStatements {
  const store = prepared<StoredRow>(() => storeAnd(expression``));
  // Most batches have no entry. Without its insert, the trigger of the log has nothing to do.
  const storeAndRecord = prepared<StoredRow>(() => {
    const isDue = expression`entry.user_id in (select user_id from outcome where is_due)`;
    return storeAnd(expression`, recorded as (${record.insertSome(isDue)})`);
  });
  return {
    async store(sql, positions, entries, now) {
      // Everybody locks rows in this order, also to delete users: otherwise two would wait for each other.
      const sorted = positions.toSorted((a, b) => (a.userId < b.userId ? -1 : 1));
      const column = <T>(of: (position: Position) => T) => sorted.map(of);
      const values = {
        userIds: column(({ userId }) => userId),
        recordedAts: column(({ recordedAt }) => recordedAt.toISOString()),
        lats: column(({ lat }) => lat),
        lngs: column(({ lng }) => lng),
        accuracies: column(({ accuracy }) => accuracy),
        now: now.toISOString(),
        entrySeconds: entries.length === 0 ? Number.POSITIVE_INFINITY : POSITION_ENTRY_MS / 1_000,
      };
      const { rows } =
        entries.length === 0
          ? await store(sql, values)
          : await storeAndRecord(sql, { ...values, ...record.valuesOfAll(entries) });
      return new Map(rows.map((row) => [row.user_id, row.logged_at]));
    },
  };
}

type StoredRow = { user_id: string; logged_at: number };

const given = expression.placeholder;
/** Compares both ways, for a clock that was set back: an entry must not be missing for years. */
const isLogDue = (loggedAt: SQL): SQL =>
  expression`abs(extract(epoch from ${given('now')}::timestamptz - ${loggedAt})) >= ${given('entrySeconds')}::float8`;
/**
 * `before` is as old as the statement. If another process stored an entry since, its time was kept, so the user isn't due any more.
 * @param more further parts of its `with` clause; `outcome` has the users whose position was stored
 */
const storeAnd = (more: SQL): SQL => expression`
    with given as (
      select * from unnest(
        ${given('userIds')}::uuid[], ${given('recordedAts')}::timestamptz[], ${given('lats')}::float8[],
        ${given('lngs')}::float8[], ${given('accuracies')}::real[]
      ) as given (user_id, recorded_at, lat, lng, accuracy)
    ), incoming as (
      select given.* from given join ${users} on ${users.id} = given.user_id
        order by given.user_id for key share of ${users}
    ), before as (
      select ${lastPositions.userId}, ${lastPositions.loggedAt} from ${lastPositions}
        where ${lastPositions.userId} in (select user_id from given)
    ), stored as (
      insert into ${lastPositions} (user_id, recorded_at, lat, lng, accuracy, logged_at)
        select user_id, recorded_at, lat, lng, accuracy, ${given('now')}::timestamptz from incoming
      on conflict (user_id) do update set
        recorded_at = excluded.recorded_at, lat = excluded.lat, lng = excluded.lng, accuracy = excluded.accuracy,
        logged_at = case when ${isLogDue(expression`${lastPositions.loggedAt}`)}
          then excluded.logged_at else ${lastPositions.loggedAt} end
        where ${lastPositions.recordedAt} < excluded.recorded_at
      returning user_id, recorded_at, lat, lng, accuracy, logged_at
    ), kept as (
      insert into ${userPositions} (user_id, recorded_at, lat, lng, accuracy)
        select user_id, recorded_at, lat, lng, accuracy from stored on conflict do nothing
    ), outcome as (
      select stored.user_id, stored.logged_at = ${given('now')}::timestamptz
          and (before.user_id is null or ${isLogDue(expression`before.logged_at`)}) as is_due,
        (extract(epoch from stored.logged_at) * 1000)::float8 as logged_at
      from stored left join before on before.user_id = stored.user_id
    )${more}
    select user_id, logged_at from outcome`;

export interface MemberPositionsQuery {
  channelId: ChannelId;
  userIds?: readonly UserId[] | undefined;
  isAdmin: boolean;
  /** The user of the last position in the portion before; null: begins with the first. */
  after: UserId | null;
  limit: number;
}

/** A user's name; empty when there is none. */
export const nameOf = async (sql: Sql, userId: UserId): Promise<string> => {
  const { firstName, lastName, pseudo } = users;
  const [row] = await sql.select({ firstName, lastName, pseudo }).from(users).where(eq(users.id, userId));
  return row === undefined ? '' : displayName(row);
};

/** A portion of the latest positions of the members of a channel by user id, with their names and latest activities. */
export function listMemberPositions(sql: Sql, { channelId, userIds, isAdmin, after, limit }: MemberPositionsQuery) {
  const latest = latestActivity(sql, isAdmin ? undefined : channelId);
  return sql
    .select({
      ...positionColumns,
      firstName: users.firstName,
      lastName: users.lastName,
      pseudo: users.pseudo,
      latest: { id: latest.id, type: latest.type, createdAt: latest.createdAt, channelName: latest.channelName },
    })
    .from(channelMembers)
    .innerJoin(lastPositions, eq(lastPositions.userId, channelMembers.userId))
    .innerJoin(users, eq(users.id, channelMembers.userId))
    .leftJoinLateral(latest, expression`true`)
    .where(
      and(
        eq(channelMembers.channelId, channelId),
        userIds === undefined ? undefined : isAnyOf(channelMembers.userId, userIds),
        after === null ? undefined : gt(lastPositions.userId, after),
      ),
    )
    .orderBy(asc(lastPositions.userId))
    .limit(limit);
}

export const isMember = async (sql: Sql, channelId: ChannelId, userId: UserId): Promise<boolean> =>
  (await sql.$count(channelMembers, and(eq(channelMembers.channelId, channelId), eq(channelMembers.userId, userId)))) >
  0;

/** Somebody's positions since then, oldest first. */
export const listTrail = (sql: Sql, userId: UserId, since: Date) =>
  sql
    .select({ recordedAt: userPositions.recordedAt, lat: userPositions.lat, lng: userPositions.lng })
    .from(userPositions)
    .where(and(eq(userPositions.userId, userId), gt(userPositions.recordedAt, since)))
    .orderBy(asc(userPositions.recordedAt));

/** Positions that are to be deleted. */
export interface PositionsToDelete {
  userIds: readonly string[];
  /** Positions up to this moment are deleted already; null: none. */
  upTo: string | null;
  /** Deletes only positions from before this; null: all. */
  before: Date | null;
}

/**
 * Deletes at most `limit` positions, or one of each user if that is more. It goes by time, over all of these users together:
 * rows of one time are beside each other on the disk.
 * @returns the users who may have more, and up to when theirs are deleted
 */
export async function deletePositions(
  sql: Sql,
  { userIds, upTo, before }: PositionsToDelete,
  limit: number,
): Promise<Pick<PositionsToDelete, 'userIds' | 'upTo'>> {
  const each = Math.max(1, Math.floor(limit / userIds.length));
  const { rows } = await sql.execute<{ id: string; up_to: string }>(expression`
    with next as materialized (
      select owner.id, one.place, one.recorded_at from unnest(${arrayOf('uuid', userIds)}) owner (id) cross join lateral (
        select ctid as place, recorded_at from ${userPositions}
        where user_id = owner.id and recorded_at > coalesce(${upTo}::timestamptz, '-infinity')
          and recorded_at < ${before === null ? expression`'infinity'` : instantOf(before)}
        order by recorded_at limit ${each}) one
    ), unfinished as (
      select id, max(recorded_at) as last from next group by id having count(*) = ${each}
    ), reached as (
      select min(last) as up_to from unfinished
    ), gone as (
      delete from ${userPositions} where ctid = any(array(
        select place from next where id not in (select id from unfinished) or recorded_at <= (select up_to from reached)))
    )
    select id, up_to::text from unfinished, reached`);
  return { userIds: rows.map(({ id }) => id), upTo: rows[0]?.up_to ?? null };
}

/** The time of this user's first remaining position; null: there is none. */
export const findFirstPosition = async (sql: Sql, userId: string): Promise<Date | null> => {
  const [row] = await sql
    .select({ recordedAt: userPositions.recordedAt })
    .from(userPositions)
    .where(eq(userPositions.userId, userId))
    .orderBy(asc(userPositions.recordedAt))
    .limit(1);
  return row?.recordedAt ?? null;
};

/** Ids of users, in their order: those after one, or the first. */
export const listUserIds = async (sql: Sql, after: string | null, limit: number): Promise<string[]> => {
  const rows = await sql
    .select({ id: users.id })
    .from(users)
    .where(after === null ? undefined : gt(users.id, after))
    .orderBy(asc(users.id))
    .limit(limit);
  return rows.map(({ id }) => id);
};

export const deleteOldLastPositions = async (sql: Sql, before: Date): Promise<void> => {
  const old = lt(lastPositions.recordedAt, before);
  // Locks them in the order in which positions are stored.
  const locked = sql
    .select({ userId: lastPositions.userId })
    .from(lastPositions)
    .where(old)
    .orderBy(asc(lastPositions.userId))
    .for('update');
  await sql.delete(lastPositions).where(and(old, inArray(lastPositions.userId, locked)));
};
