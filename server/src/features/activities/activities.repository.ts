import { auditType } from '@pressel/contract/activity-types';
import { sql as expression, ne, type SQL, sql } from 'drizzle-orm';
import type { Db, Sql, Tx } from '#src/db/connect.ts';
import { instantOf } from '#src/db/list-sql.ts';
import { DELETION_LOCK, UPKEEP_LOCK } from '#src/db/locks.ts';
import { prepared } from '#src/db/prepared-statement.ts';
import {
  activities,
  activityCounts,
  activityDeltas,
  activityHorizon,
  activityNames,
} from '#src/db/schema/activities.ts';
import { servers } from '#src/db/schema/presence.ts';
import type { LoggedAct, RecordActs, RecordWithin } from '#src/history/change.ts';
import { uuidV7 } from '#src/shared/ids.ts';

/** Lets one process at a time count or clear. @returns null when another one is at it */
const alone = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T | null> =>
  db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ mine: boolean }>(sql`select pg_try_advisory_xact_lock(${UPKEEP_LOCK}) as mine`);
    return rows[0]?.mine === true ? work(tx) : null;
  });

/**
 * Adds at most `limit` deltas to the counts and names, and deletes them. Asks for known names first: a row's search columns are made before
 * its conflict is found, and take longer than all the rest.
 * @returns how many they were
 */
export const addDeltas = async (db: Db, limit: number): Promise<number> =>
  (await alone(db, async (tx) => {
    const { rows } = await tx.execute<{ n: number }>(sql`
      with gone as (
        delete from ${activityDeltas} where ctid = any(array(select ctid from ${activityDeltas} limit ${limit}))
        returning *, date_trunc('day', hour, 'UTC') as day, date_trunc('month', hour, 'UTC') as month
      ), counted as (
        insert into ${activityCounts} (kind, key, span, begins, spec, audit)
        select v.kind, v.key, v.span, v.begins, sum(case when is_audit then 0 else n end), sum(case when is_audit then n else 0 end)
        from gone cross join lateral (values
          ('all', '', 'month', month), ('all', '', 'day', day), ('all', '', 'hour', hour),
          ('type', type, 'month', month), ('type', type, 'day', day), ('type', type, 'hour', hour),
          ('user', user_id::text, 'month', month), ('user', user_id::text, 'day', day),
          ('channel', channel_id::text, 'month', month), ('channel', channel_id::text, 'day', day)
        ) v(kind, key, span, begins) where v.key is not null group by 1, 2, 3, 4
        on conflict (kind, key, span, begins) do update
        set spec = activity_counts.spec + excluded.spec, audit = activity_counts.audit + excluded.audit
      ), named as (
        insert into ${activityNames} (kind, id, name)
        select kind, id, name from (
          select distinct v.kind, v.id, v.name from gone cross join lateral (values
            ('user', user_id, user_name), ('target', target_id, target_name), ('channel', channel_id, channel_name)
          ) v(kind, id, name) where v.id is not null and v.name is not null
        ) named
        where not exists (
          select from ${activityNames} known where known.kind = named.kind and known.id = named.id and known.name = named.name
          offset 0
        )
        on conflict do nothing
      )
      select count(*)::int as n from gone`);
    return rows[0]?.n ?? 0;
  })) ?? 0;

/** Lets one deletion run at a time, until its transaction ends: otherwise two would count the same entries as theirs. */
export const lockDeletion = async (tx: Tx): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(${DELETION_LOCK})`);
};

/** Moves the horizon forward, never back. */
export const moveHorizon = async (tx: Sql, before: Date): Promise<void> => {
  await tx.execute(sql`
    insert into ${activityHorizon} as known (id, before) values (1, ${instantOf(before)})
    on conflict (id) do update set before = greatest(known.before, excluded.before)`);
};

/**
 * Brings back a horizon that is ahead of the clock, because the clock itself was ahead when it was moved. Otherwise every entry
 * would be deleted as it is made, until that moment. Entries that it deleted stay deleted.
 */
export const keepHorizonPast = async (db: Sql, now: Date): Promise<void> => {
  const moment = instantOf(now);
  await db.execute(sql`update ${activityHorizon} set before = ${moment} where before > ${moment}`);
};

/** Deletes at most `limit` rows from before the horizon. @returns how many they were */
export const clearRows = async (db: Db, limit: number): Promise<number> => {
  const { rowCount } = await db.execute(sql`
    delete from ${activities} where ctid = any(array(
      select ctid from ${activities} where created_at < (select before from ${activityHorizon}) limit ${limit}))`);
  return rowCount ?? 0;
};

/** Deletes counts from before the month or day of the horizon, and names that no entry has any more. */
export const clearCounts = async (db: Db): Promise<void> => {
  await alone(db, async (tx) => {
    await tx.execute(sql`
      delete from ${activityCounts} 
      where begins < date_trunc(case span when 'month' then span else 'day' end, (select before from ${activityHorizon}), 'UTC')`);
    for (const kind of ['user', 'target', 'channel']) {
      await tx.execute(sql`
        delete from ${activityNames} known where kind = ${kind} and not exists (
          select 1 from ${activities} where ${sql.raw(`${kind}_id`)} = known.id)`);
    }
  });
};

/** Number of counted entries in each scope: those whose rows are still there, and those of months that are partly gone. */
export const countAll = async (db: Sql): Promise<{ spec: number; audit: number }> => {
  const { rows } = await db.execute<{ spec: string; audit: string }>(sql`
    select coalesce(sum(spec), 0) as spec, coalesce(sum(audit), 0) as audit from (
      select spec, audit from ${activityCounts} where kind = 'all' and span = 'month'
      union all
      select case when is_audit then 0 else n end, case when is_audit then n else 0 end from ${activityDeltas}
    ) one`);
  return { spec: Number(rows[0]?.spec), audit: Number(rows[0]?.audit) };
};

const given = expression.placeholder;
const AUDIT_TYPES: ReadonlySet<string> = new Set(auditType.options);

const rowsOf = (acts: readonly LoggedAct[]): string =>
  JSON.stringify(
    acts.map(({ type, channel, target, details, at, id, ...by }) => ({
      // The ids keep the order of the acts: of acts of one moment, the first is the oldest.
      id: id ?? uuidV7(at.getTime()),
      type,
      is_audit: AUDIT_TYPES.has(type),
      user_id: by.user?.id ?? null,
      user_first_name: by.user?.firstName ?? '',
      user_display_name: by.user?.displayName ?? '',
      target_id: target?.id ?? null,
      target_name: target?.name ?? null,
      channel_id: channel?.id ?? null,
      channel_name: channel?.name ?? null,
      address: by.user === null ? by.address : by.user.address,
      details: details ?? null,
      created_at: at.toISOString(),
    })),
  );

const COLUMNS = expression.raw(
  'id, type, is_audit, user_id, user_first_name, user_display_name, target_id, target_name, channel_id, channel_name, address, details, created_at',
);

/** Takes all rows as one parameter: there may be thousands, and the statement's text is the same for any number. */
const insertSome = (condition: SQL) => expression`
    insert into ${activities} (${COLUMNS})
    select ${COLUMNS} from jsonb_to_recordset(${given('acts')}::jsonb) as entry (id uuid, type text, is_audit boolean,
      user_id uuid, user_first_name text, user_display_name text, target_id uuid, target_name text, channel_id uuid,
      channel_name text, address text, details jsonb, created_at timestamptz)
    where ${condition} on conflict (id) do nothing`;
const insertAll = insertSome(expression`true`);
const insert = prepared(() => insertAll);

/** Stores entries. Pass the transaction of the logged changes, so that both are stored or neither. */
export const recordActivities: RecordActs = async (sql, acts) => {
  if (acts.length > 0) await insert(sql, { acts: rowsOf(acts) });
};

/** Stores entries as part of another statement, so that both are stored or neither. */
export const recordWithin: RecordWithin = {
  insert: (from) => expression`
    insert into ${activities}
      (id, type, is_audit, user_id, user_first_name, user_display_name, channel_id, channel_name, address, created_at)
    select ${given('actId')}::uuid, ${given('actType')}, ${given('actIsAudit')}, ${given('actBy')}::uuid,
      ${given('actFirstName')}, ${given('actDisplayName')}, id, name, ${given('actAddress')}, ${given('actAt')}::timestamptz
    from ${from}`,
  insertAll,
  insertSome,
  valuesOfAll: (acts) => ({ acts: rowsOf(acts) }),
  values: ({ type, user, at }) => ({
    actId: uuidV7(at.getTime()),
    actType: type,
    actIsAudit: AUDIT_TYPES.has(type),
    actBy: user.id,
    actFirstName: user.firstName,
    actDisplayName: user.displayName,
    actAddress: user.address,
    actAt: at.toISOString(),
  }),
};

/** The ids of all other processes. A process that died is among them until its lease is over. */
export const listOtherProcesses = async (sql: Sql, processId: string): Promise<string[]> =>
  (await sql.select({ id: servers.id }).from(servers).where(ne(servers.id, processId))).map(({ id }) => id);
