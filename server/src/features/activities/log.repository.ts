import type { LoggedType } from '@pressel/contract/activity-types';
import { type SQL, sql } from 'drizzle-orm';
import * as z from 'zod';
import type { Sql } from '#src/db/connect.ts';
import { arrayOf } from '#src/db/list-sql.ts';
import { runPrepared } from '#src/db/prepared-statement.ts';
import { activities, activityHorizon } from '#src/db/schema/activities.ts';
import { type Counted, logCounts, type Scope } from './log-counts.ts';
import { isFew, type NamedIn, namesMatch } from './log-names.ts';

/**
 * A point between two entries: directly above one (`above`: what follows begins with it) or directly below it. It separates
 * older entries from newer ones, whatever is added or deleted.
 */
export interface LogCursor {
  side: 'above' | 'below';
  at: Date;
  id: string;
}

const ID = z.uuid();
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export const formatCursor = ({ side, at, id }: LogCursor): string =>
  `${side === 'above' ? 'a' : 'b'}${at.getTime().toString(36)}.${id}`;

/** @returns null when we wrote no such text */
export function parseCursor(text: string): LogCursor | null {
  const [, letter, time = '', id = ''] = /^([ab])([0-9a-z]{1,11})\.([0-9a-f-]{36})$/u.exec(text) ?? [];
  if (letter === undefined || !ID.safeParse(id).success) return null;
  const ms = Number.parseInt(time, 36);
  // PostgreSQL can't read a year of more than four digits, and no entry has such a time.
  return ms > LATEST_MS ? null : { side: letter === 'a' ? 'above' : 'below', at: new Date(ms), id };
}

/** Selects entries as the contract's filter does. `named`: the outcome of the search for its text. */
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
  cursor?: LogCursor | undefined;
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
  /** The entry at the cursor; without a cursor, the newest that the filter finds. */
  newest: Pick<LogRow, 'id' | 'at'> | null;
  /** Number of entries from the cursor on; without a cursor, of all. */
  total: number;
  /** Number of entries newer than the cursor. */
  newer: number;
}

/** Newest first; entries of one moment by their ids, which keep the order of creation. */
const ORDER = sql.raw('created_at desc nulls last, id desc nulls last');
const COLUMNS =
  sql.raw(`id, type, user_id as "userId", user_first_name as "firstName", user_display_name as "displayName",
  target_id as "targetId", target_name as "targetName", channel_id as "channelId", channel_name as "channelName",
  address, details, extract(epoch from created_at) * 1000 as ms, created_at`);

const all = (conditions: readonly (SQL | undefined)[]): SQL =>
  sql.join([sql`true`, ...conditions.filter((one) => one !== undefined)], sql` and `);

const SCOPES: Record<Scope, SQL | undefined> = { spec: sql`not is_audit`, audit: sql`is_audit`, all: undefined };

/** Conditions for an entry, except its time. */
const conditionsOf = ({ scope, types, userId, targetId, channelId, named }: LogFilter): SQL =>
  all([
    types === undefined ? SCOPES[scope] : sql`type = any(${arrayOf('text', types)})`,
    userId === undefined ? undefined : sql`user_id = ${userId}::uuid`,
    targetId === undefined ? undefined : sql`target_id = ${targetId}::uuid`,
    channelId === undefined ? undefined : sql`channel_id = ${channelId}::uuid`,
    named === undefined ? undefined : namesMatch(named),
  ]);

/**
 * The request, as the first common table expression of a statement. It hides the values from the planner. So a statement has
 * one plan for all values, which a connection keeps (see `runPrepared`).
 */
const asked = ({ from, to, cursor, start, limit }: LogQuery, keys: SQL): SQL => sql`asked as materialized (
  select
    -- Entries from before the horizon are deleted, whether or not their rows are gone already (LOG41).
    coalesce(greatest(${momentOrNull(from)}, (select before from ${activityHorizon})), '-infinity') as bottom,
    ${momentOrNull(to)} as ceiling, ${momentOrNull(cursor?.at)} as cursor_at, ${cursor?.id ?? null}::uuid as cursor_id,
    ${start}::bigint as start, ${limit}::bigint as wanted, ${keys} as keys)`;
const momentOrNull = (date: Date | undefined): SQL => sql`${date?.toISOString() ?? null}::timestamptz`;
const BOTTOM = sql`(select bottom from asked)`;
const CEILING = sql`(select ceiling from asked)`;
const CURSOR_AT = sql`(select cursor_at from asked)`;
const KEYS = sql`(select keys from asked)`;

/**
 * How a statement asks for a filter. `counted`: the dimension whose entries are already counted; the filter's values are its
 * keys. `eachType`: types are looked for one by one, because each has its newest entries in a part of the index. `isOfFew`:
 * entries of few users and channels are found once, to be counted and paged, because no index has them in the order of time.
 */
interface Approach {
  counted: Counted | null;
  keys: SQL;
  matching: SQL;
  eachType: boolean;
  isOfFew: boolean;
  /** Whether its plan is the same for all values: see `runPrepared`. */
  isKept: boolean;
}
const OF_ALL = { eachType: false, isOfFew: false, isKept: true };

function approachOf(filter: LogFilter): Approach {
  const { scope, types, userId, targetId, channelId, named } = filter;
  const given = [types, userId, channelId, targetId, named].filter((one) => one !== undefined).length;
  const inScope = SCOPES[scope];
  if (given === 0) {
    const keys = sql`array['']`;
    return { ...OF_ALL, counted: { kind: 'all', keys, scope }, keys, matching: all([inScope]) };
  }
  if (given === 1 && types !== undefined) {
    const counted = { kind: 'type', keys: KEYS, scope: 'all' } as const;
    return { ...OF_ALL, counted, keys: arrayOf('text', types), matching: sql`type = one.key`, eachType: true };
  }
  if (given === 1 && (userId !== undefined || channelId !== undefined)) {
    const kind = userId === undefined ? 'channel' : 'user';
    return {
      ...OF_ALL,
      counted: { kind, keys: KEYS, scope },
      keys: sql`array[${userId ?? channelId}::text]`,
      matching: all([inScope, sql`${sql.raw(kind)}_id = (select keys[1]::uuid from asked)`]),
    };
  }
  const matching = conditionsOf(filter);
  const isOfFew = given === 1 && named !== undefined && isFew(named);
  return { ...OF_ALL, counted: null, keys: sql`null::text[]`, matching, isOfFew, isKept: isOfFew };
}

/**
 * The statement of one page with exact numbers. It is a single one, so that they are of one moment. If it can, it finds the
 * page by the counts, however deep it is: then it has few texts, and one plan for each.
 */
function logPage(query: LogQuery): { isKept: boolean; statement: SQL } {
  const { cursor, to, start } = query;
  const wanted = approachOf(query);
  const approach = wanted.isOfFew ? { ...wanted, matching: sql`true` } : wanted;
  const source = wanted.isOfFew ? sql`found` : sql`${activities}`;
  const found = wanted.isOfFew
    ? sql`, found as materialized (
        select created_at, id from ${activities} where ${wanted.matching} and created_at >= ${BOTTOM})`
    : sql``;
  const { counted } = approach;
  const counts = counted === null ? null : logCounts(counted);
  const countRaw = (conditions: SQL): SQL => {
    const count = sql`select count(*) as n from ${source} where ${approach.matching} and ${conditions}`;
    return approach.eachType
      ? sql`(select coalesce(sum(n), 0) from unnest(${KEYS}) one(key) cross join lateral (${count}) counted)`
      : sql`(${count})`;
  };
  const since = (moment: SQL): SQL => counts?.since(moment, countRaw) ?? countRaw(sql`created_at >= ${moment}`);

  const toCount = to === undefined ? sql`0::bigint` : since(CEILING);
  // Counts entries above the cursor: those newer than its moment by the counts, those of that moment one by one.
  const next = sql`${CURSOR_AT} + interval '1 ms'`;
  const cursorCount =
    cursor === undefined
      ? sql`0::bigint`
      : sql`(${since(next)} + ${countRaw(sql`created_at < ${next} and ${above(cursor)}`)})`;
  const beneath = all([
    sql`created_at >= ${BOTTOM}`,
    to === undefined ? undefined : sql`created_at < ${CEILING}`,
    cursor === undefined ? undefined : below(cursor),
  ]);
  const isLocated = counts !== null && start > 0;
  const skip = sql`(select greatest(to_count, cursor_count) + (select start from asked) from numbers)`;
  const located = isLocated
    ? {
        ctes: sql`, ${counts.locate(skip)}`,
        where: sql`created_at < (select bound from start_of_page) and created_at >= ${BOTTOM}`,
        skip: sql`(select inner_skip from start_of_page)`,
      }
    : { ctes: sql``, where: beneath, skip: sql`(select start from asked)` };
  // The entry from which a page after the first begins its numbers.
  const hasOther = start > 0 && cursor === undefined;
  const newest = hasOther
    ? sql`left join (select created_at as newest_at, id as newest_id from (
        ${rowsOf(query, approach, { source, where: beneath, skip: sql`0`, limit: sql`1` })}) one) newest on true`
    : sql``;

  const statement = sql`
    with ${asked(query, approach.keys)}${found},
    numbers as materialized (
      select ${since(BOTTOM)} as total, ${toCount} as to_count, ${cursorCount} as cursor_count
    )${located.ctes}
    select numbers.*, ${hasOther ? sql`extract(epoch from newest_at) * 1000 as newest_ms, newest_id,` : sql``} page.*
    from numbers ${newest} left join (
      ${rowsOf(query, approach, { source, where: located.where, skip: located.skip, limit: sql`(select wanted from asked)` })}
    ) page on true order by ${ORDER}`;
  return { isKept: approach.isKept, statement };
}

/** Condition for entries above a cursor. */
const above = ({ side }: LogCursor): SQL =>
  sql`(created_at, id) ${sql.raw(side === 'above' ? '>' : '>=')} (${CURSOR_AT}, (select cursor_id from asked))`;
const below = ({ side }: LogCursor): SQL =>
  sql`(created_at, id) ${sql.raw(side === 'above' ? '<=' : '<')} (${CURSOR_AT}, (select cursor_id from asked))`;

/** Rows of a page. When the filter names several types, each contributes its newest ones. */
function rowsOf(
  { named }: LogFilter,
  { matching, eachType }: Approach,
  { source, where, skip, limit }: { source: SQL; where: SQL; skip: SQL; limit: SQL },
): SQL {
  const page = sql`order by ${ORDER} offset ${skip} limit ${limit}`;
  // The index holds what decides; only the page's own rows are read.
  const byId = (ids: SQL) => sql`select ${COLUMNS} from ${activities} where id = any(array(${ids})) order by ${ORDER}`;
  if (eachType) {
    return byId(sql`select id from unnest(${KEYS}) one(key) cross join lateral (
      select created_at, id from ${activities} where ${matching} and ${where} order by ${ORDER} limit ${skip} + ${limit}) found
      ${page}`);
  }
  if (named !== undefined) return byId(sql`select id from ${source} where ${matching} and ${where} ${page}`);
  return sql`select ${COLUMNS} from ${activities} where ${matching} and ${where} ${page}`;
}

/** One page with exact numbers, of one moment. */
export async function readLog(db: Sql, query: LogQuery): Promise<LogPage> {
  const { isKept, statement } = logPage(query);
  const { rows } = await (isKept ? runPrepared(db, statement) : db.execute(statement));
  const [first] = rows;
  if (first === undefined) throw new Error('The log gave no numbers');
  const [total, toNumber, cursorNumber] = [first.total, first.to_count, first.cursor_count].map(Number) as [
    number,
    number,
    number,
  ];
  const entries = rows.flatMap((row) => (row.id === null ? [] : [rowOf(row)]));
  return {
    rows: entries,
    newest:
      typeof first.newest_id === 'string'
        ? { id: first.newest_id, at: momentOf(first.newest_ms) }
        : (entries[0] ?? null),
    total: Math.max(0, total - Math.max(toNumber, cursorNumber)),
    // Leaves out entries above the cursor that are deleted, or from before the filter's beginning.
    newer: Math.max(0, Math.min(cursorNumber, total) - toNumber),
  };
}

/** The newest entries, without numbers; at most `limit`, below a cursor when one is given. */
export async function listLog(
  db: Sql,
  query: LogFilter & { limit: number; cursor?: LogCursor | undefined },
): Promise<LogRow[]> {
  const { cursor, to, limit } = query;
  const approach = approachOf(query);
  const where = all([
    sql`created_at >= ${BOTTOM}`,
    to === undefined ? undefined : sql`created_at < ${CEILING}`,
    cursor === undefined ? undefined : below(cursor),
  ]);
  const { rows } = await db.execute<Record<string, unknown>>(sql`
    with ${asked({ ...query, start: 0 }, approach.keys)}
    ${rowsOf(query, approach, { source: sql`${activities}`, where, skip: sql`0`, limit: sql.raw(String(limit)) })}`);
  return rows.map(rowOf);
}

const momentOf = (ms: unknown): Date => new Date(Math.round(Number(ms)));

const rowOf = ({
  ms,
  created_at: _at,
  total: _total,
  to_count: _to,
  cursor_count: _cursor,
  newest_ms: _newestMs,
  newest_id: _newestId,
  ...row
}: Record<string, unknown>) => ({ ...row, at: momentOf(ms) }) as unknown as LogRow;
