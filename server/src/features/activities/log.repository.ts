import { auditType, type LoggedType } from '@pressel/contract/activity-types';
import { type SQL, sql } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { activities, activityHorizon } from '#src/db/schema/activities.ts';
import { arrayOf } from '#src/shared/list-sql.ts';
import { type Counted, logCounts, type Scope } from './log-counts.ts';
import { type NamedIn, namesMatch } from './log-names.ts';
import type { LogPlace } from './places.ts';

/** Which entries, as the contract's filter has it; `named`: the outcome of a search for its text. */
export interface LogFilter {
  scope: Scope;
  types?: readonly LoggedType[] | undefined;
  userId?: string | undefined;
  targetId?: string | undefined;
  channelId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  named?: NamedIn | undefined;
}
export interface LogQuery extends LogFilter {
  start: number;
  limit: number;
  place?: LogPlace | undefined;
}

/** A row of the log. */
export interface LogRow {
  id: string;
  type: string;
  userId: string | null;
  firstName: string;
  displayName: string;
  targetId: string | null;
  targetName: string | null;
  channelId: string | null;
  channelName: string | null;
  address: string | null;
  details: unknown;
  at: Date;
}
export interface LogPage {
  rows: LogRow[];
  /** From the place on; all without one. */
  total: number;
  /** Newer than the place. */
  newer: number;
}

/** Newest first, entries of one moment by their ids, which are in the order in which they were made. */
const ORDER = sql.raw('created_at desc nulls last, id desc nulls last');
const COLUMNS =
  sql.raw(`id, type, user_id as "userId", user_first_name as "firstName", user_display_name as "displayName",
  target_id as "targetId", target_name as "targetName", channel_id as "channelId", channel_name as "channelName",
  address, details, extract(epoch from created_at) * 1000 as ms, created_at`);

const instant = (date: Date): SQL => sql`${date.toISOString()}::timestamptz`;
const all = (conditions: readonly (SQL | undefined)[]): SQL =>
  sql.join([sql`true`, ...conditions.filter((one) => one !== undefined)], sql` and `);

/** Entries from before this moment are deleted, whether or not their rows are gone already (LOG41). */
const HORIZON = sql`(select before from ${activityHorizon})`;
/** Since when entries count. */
const bottomOf = ({ from }: LogFilter): SQL =>
  from === undefined
    ? sql`coalesce(${HORIZON}, '-infinity')`
    : sql`coalesce(greatest(${instant(from)}, ${HORIZON}), '-infinity')`;

/** The types to look for one by one: of many types the newest entries are found by the index of each. */
const typesOf = ({ scope, types, userId, targetId, channelId, named }: LogFilter): readonly LoggedType[] | null => {
  if (userId !== undefined || targetId !== undefined || channelId !== undefined || named !== undefined) return null;
  return types ?? (scope === 'audit' ? auditType.options : null);
};

/** What an entry must be, but for its time. */
const conditionsOf = ({ scope, types, userId, targetId, channelId, named }: LogFilter): SQL =>
  all([
    types === undefined
      ? { spec: sql`not is_audit`, audit: sql`is_audit`, all: undefined }[scope]
      : sql`type = any(${arrayOf('text', types)})`,
    userId === undefined ? undefined : sql`user_id = ${userId}::uuid`,
    targetId === undefined ? undefined : sql`target_id = ${targetId}::uuid`,
    channelId === undefined ? undefined : sql`channel_id = ${channelId}::uuid`,
    named === undefined ? undefined : namesMatch(named),
  ]);

/** Under what the entries are counted already; null when they must be counted one by one. */
function countedAs({ scope, types, userId, targetId, channelId, named }: LogFilter): Counted | null {
  if (targetId !== undefined || named !== undefined) return null;
  const given = [types, userId, channelId].filter((one) => one !== undefined).length;
  if (given === 0) return { kind: 'all', keys: [''], scope };
  if (given > 1) return null;
  if (types !== undefined) return { kind: 'type', keys: types, scope: 'all' };
  if (userId !== undefined) return { kind: 'user', keys: [userId], scope };
  return { kind: 'channel', keys: [channelId ?? ''], scope };
}

/** Entries above a place. */
const above = ({ side, at, id }: LogPlace): SQL =>
  sql`(created_at, id) ${sql.raw(side === 'above' ? '>' : '>=')} (${instant(at)}, ${id}::uuid)`;
const below = ({ side, at, id }: LogPlace): SQL =>
  sql`(created_at, id) ${sql.raw(side === 'above' ? '<=' : '<')} (${instant(at)}, ${id}::uuid)`;

/**
 * One page with exact numbers, in one statement, so that they are of one moment. Where it can it finds the page by the
 * counts, however deep it is.
 */
export async function readLog(db: Sql, query: LogQuery): Promise<LogPage> {
  const { place, to, start, limit } = query;
  const matching = conditionsOf(query);
  const counted = countedAs(query);
  const counts = counted === null ? null : logCounts(counted);
  const types = typesOf(query);
  // Type by type: over several at once the planner reads all their entries instead of the part of that hour.
  const countRaw = (conditions: SQL) =>
    types === null
      ? sql`(select count(*) from ${activities} where ${matching} and ${conditions})`
      : sql`(select coalesce(sum(n), 0) from unnest(${arrayOf('text', types)}) one(type_name) cross join lateral (
          select count(*) as n from ${activities} where type = one.type_name and ${conditions}) counted)`;
  const since = (moment: SQL): SQL => counts?.since(moment, countRaw) ?? countRaw(sql`created_at >= ${moment}`);

  const toCount = to === undefined ? sql`0::bigint` : since(instant(to));
  // Above the place: what is newer than its moment by the counts, and of that moment one by one.
  const placeCount =
    place === undefined
      ? sql`0::bigint`
      : sql`(${since(sql`${instant(place.at)} + interval '1 ms'`)} + ${countRaw(
          sql`created_at < ${instant(place.at)} + interval '1 ms' and ${above(place)}`,
        )})`;
  const beneath = all([
    sql`created_at >= (select bottom from bounds)`,
    to === undefined ? undefined : sql`created_at < ${instant(to)}`,
    place === undefined ? undefined : below(place),
  ]);
  const isLocated = counts !== null && start > 0;
  const skip = sql`(select greatest(to_count, place_count) + ${start}::bigint from numbers)`;
  const located = isLocated
    ? {
        ctes: sql`, ${counts.locate(skip)}`,
        bound: sql`created_at < (select bound from place)`,
        skip: sql`(select inner_skip from place)`,
      }
    : { ctes: sql``, bound: sql`true`, skip: sql`${start}::bigint` };

  const { rows } = await db.execute<Record<string, unknown>>(sql`
    with bounds as materialized (select ${bottomOf(query)} as bottom),
    numbers as materialized (
      select ${since(sql`(select bottom from bounds)`)} as total, ${toCount} as to_count, ${placeCount} as place_count
    )${located.ctes}
    select numbers.*, page.* from numbers left join (
      ${pageOf(query, { matching, where: all([isLocated ? located.bound : undefined, isLocated ? sql`created_at >= (select bottom from bounds)` : beneath]), skip: located.skip, limit })}
    ) page on true order by ${ORDER}`);
  const [first] = rows;
  if (first === undefined) throw new Error('The log gave no numbers');
  const [total, toNumber, placeNumber] = [first.total, first.to_count, first.place_count].map(Number) as [
    number,
    number,
    number,
  ];
  return {
    rows: rows.flatMap((row) => (row.id === null ? [] : [rowOf(row)])),
    total: Math.max(0, total - Math.max(toNumber, placeNumber)),
    // What is above the place but from before the filter's beginning, or deleted, is not found.
    newer: Math.max(0, Math.min(placeNumber, total) - toNumber),
  };
}

/** The page's rows. Of several types each contributes its newest ones, by its own part of the index. */
function pageOf(
  filter: LogFilter,
  { matching, where, skip, limit }: { matching: SQL; where: SQL; skip: SQL; limit: number },
): SQL {
  const types = typesOf(filter);
  if (types === null || types.length === 1) {
    return sql`select ${COLUMNS} from ${activities} where ${matching} and ${where} order by ${ORDER} offset ${skip} limit ${limit}`;
  }
  // A query for each, with the type as its own parameter: only so does the planner know how rare it is. A rare one looked
  // for by time would be a walk through the whole log.
  const newest = types.map(
    (type) =>
      sql`(select ${COLUMNS} from ${activities} where type = ${type} and ${where} order by ${ORDER} limit ${skip} + ${limit})`,
  );
  return sql`select found.* from (${sql.join(newest, sql` union all `)}) found order by ${ORDER} offset ${skip} limit ${limit}`;
}

/** The newest entries, without numbers; at most `limit`, below a place when one is given. */
export async function listLog(
  db: Sql,
  query: LogFilter & { limit: number; place?: LogPlace | undefined },
): Promise<LogRow[]> {
  const { place, to } = query;
  const where = all([
    sql`created_at >= ${bottomOf(query)}`,
    to === undefined ? undefined : sql`created_at < ${instant(to)}`,
    place === undefined ? undefined : below(place),
  ]);
  const { rows } = await db.execute<Record<string, unknown>>(
    sql`${pageOf(query, { matching: conditionsOf(query), where, skip: sql`0`, limit: query.limit })}`,
  );
  return rows.map(rowOf);
}

const rowOf = ({
  ms,
  created_at: _at,
  total: _total,
  to_count: _to,
  place_count: _place,
  ...row
}: Record<string, unknown>) => ({ ...row, at: new Date(Math.round(Number(ms))) }) as unknown as LogRow;
