import type { listQuery } from '@pressel/contract/list';
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type * as z from 'zod';
import { isUnknownTimeZone } from '#src/db/errors.ts';
import { AppError } from './app-error.ts';

/** What a list is asked for, whatever its columns are. */
export type ListQuery<Column extends string = string> = z.output<ReturnType<typeof listQuery<Column>>>;
type Language = NonNullable<ListQuery['language']>;

/** The rows of a page, and how many rows there are in all after the filter. */
export interface Page<Row> {
  rows: Row[];
  total: number;
}

/** Order of names: as dictionaries have it, numbers by value. */
export const byText = (column: AnyPgColumn, order: ListQuery['order'] = 'asc'): SQL =>
  inOrder(sql`${column} collate natural_order`, order);

/** Any other order. What is not there comes last, whichever way. */
export const inOrder = (value: AnyPgColumn | SQL, order: ListQuery['order'] = 'asc'): SQL =>
  order === 'desc' ? sql`${value} desc nulls last` : sql`${value} asc nulls last`;

/** What a filter looks for, folded as the stored texts are; null when it looks for nothing. */
export const wantedText = ({ filter }: Pick<ListQuery, 'filter'>): SQL | null => {
  const wanted = filter?.trim() ?? '';
  return wanted === '' ? null : sql`fold_text(${wanted})`;
};

/** Whether a folded text, whose parts stand on lines of their own, holds what is wanted. Nothing in it is a wildcard. */
export const holds = (foldedText: AnyPgColumn | SQL, wanted: SQL): SQL =>
  sql`strpos(translate(${foldedText}, E'\n', ' '), ${wanted}) > 0`;

/**
 * Whether a moment, as the web app shows it ('dd MMM yyyy HH:mm', the month in the language), holds what is wanted.
 * Most filters cannot be part of a date, having letters that are in no month: those are told by the first condition,
 * which the planner works out once, so that no date is written out for them.
 */
export function momentHolds(
  moment: AnyPgColumn,
  wanted: SQL,
  { language = 'fr', timeZone = 'UTC' }: Pick<ListQuery, 'language' | 'timeZone'>,
): SQL {
  const months = monthNames(language);
  const local = sql`(${moment} at time zone ${timeZone}::text)`;
  const folded = sql.join(
    months.map((month) => sql`fold_text(${month})`),
    sql`, `,
  );
  const letters = (text: SQL) => sql`translate(${text}, '0123456789 :.', '')`;
  return sql`(strpos(${letters(sql`fold_text(${months.join('|')})`)}, ${letters(wanted)}) > 0
    and strpos(to_char(${local}, 'DD ') || (array[${folded}])[extract(month from ${local})::int]
      || to_char(${local}, ' YYYY HH24:MI'), ${wanted}) > 0)`;
}

/** Short names of months as they stand inside a date, January first. */
function monthNames(language: Language): string[] {
  const format = new Intl.DateTimeFormat(language, {
    day: '2-digit',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  });
  return Array.from({ length: 12 }, (_, month) => {
    const parts = format.formatToParts(Date.UTC(2001, month, 15));
    return parts.find(({ type }) => type === 'month')?.value ?? '';
  });
}

/**
 * Reads a list in the zone that it asks for. A zone that nobody knows is malformed; one that only the database does
 * not know, whose table may be older than the browser's, is taken for UTC: the rest of the filter works all the same.
 */
export async function inItsTimeZone<Q extends Pick<ListQuery, 'timeZone'>, Result>(
  query: Q,
  read: (query: Q) => Promise<Result>,
): Promise<Result> {
  requireTimeZone(query.timeZone);
  try {
    return await read(query);
  } catch (error) {
    if (query.timeZone === undefined || !isUnknownTimeZone(error)) throw error;
    return read({ ...query, timeZone: 'UTC' });
  }
}

/** Offsets ('+02:00') are none: PostgreSQL counts them the other way round. */
function requireTimeZone(timeZone: string | undefined): void {
  if (timeZone === undefined) return;
  try {
    if (!/^[a-z]/iu.test(timeZone)) throw new RangeError(timeZone);
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (error) {
    throw new AppError('malformed', { issues: [{ path: 'timeZone', code: 'time_zone' }] }, { cause: error });
  }
}

/** A list as one parameter of any length, where a placeholder for each entry would cost more than the query. */
export const arrayOf = (type: 'uuid' | 'text', values: readonly string[]): SQL =>
  sql`${sql.param([...values])}::${sql.raw(type)}[]`;

/** `column` is one of these values. */
export const isAnyOf = (column: AnyPgColumn, ids: readonly string[]): SQL =>
  sql`${column} = any(${arrayOf('uuid', ids)})`;
