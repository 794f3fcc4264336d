import type { listQuery } from '@pressel/contract/list';
import { type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn } from 'drizzle-orm/pg-core';
import type * as z from 'zod';
import { isUnknownTimeZone } from '#src/db/errors.ts';
import { AppError } from '#src/shared/app-error.ts';

/** A parsed list query, for any set of columns. */
export type ListQuery<Column extends string = string> = z.output<ReturnType<typeof listQuery<Column>>>;
type Language = NonNullable<ListQuery['language']>;

/** The rows of a page, and the number of rows after filtering. */
export interface Page<Row> {
  rows: Row[];
  total: number;
}

/** Returns a moment as a value for a statement. */
export const instantOf = (date: Date): SQL => sql`${date.toISOString()}::timestamptz`;

/** Order of names: dictionary order, with numbers compared by value. */
export const byText = (column: AnyPgColumn, order: ListQuery['order'] = 'asc'): SQL =>
  inOrder(sql`${column} collate natural_order`, order);

/** Order of any other column. Nulls come last in both directions. */
export const inOrder = (value: AnyPgColumn | SQL, order: ListQuery['order'] = 'asc'): SQL =>
  order === 'desc' ? sql`${value} desc nulls last` : sql`${value} asc nulls last`;

/** The filter's text, folded like the stored texts; null when it is blank. */
export const foldedFilter = ({ filter }: Pick<ListQuery, 'filter'>): SQL | null => {
  const wanted = filter?.trim() ?? '';
  return wanted === '' ? null : sql`fold_text(${wanted})`;
};

/** Whether a folded text (fields separated by newlines) contains the wanted text. No wildcards. */
export const textContains = (foldedText: AnyPgColumn | SQL, wanted: SQL): SQL =>
  sql`strpos(translate(${foldedText}, E'\n', ' '), ${wanted}) > 0`;

/**
 * Whether a timestamp, as the web app displays it ('dd MMM yyyy HH:mm', the month in the language), contains the wanted
 * text. The first condition is constant for the query: it is false when the filter has letters that occur in no month.
 * So dates are formatted only for the few filters that can match one.
 */
export function dateContains(
  moment: AnyPgColumn | SQL,
  wanted: SQL,
  { language = 'fr', timeZone = 'UTC' }: Pick<ListQuery, 'language' | 'timeZone'>,
): SQL {
  const months = monthNames(language);
  const local = sql`(${moment} at time zone ${timeZone}::text)`;
  const folded = sql.join(
    months.map((month) => sql`fold_text(${month})`),
    sql`, `,
  );
  return sql`(${dateMayContain(wanted, { language })}
    and strpos(to_char(${local}, 'DD ') || (array[${folded}])[extract(month from ${local})::int]
      || to_char(${local}, ' YYYY HH24:MI'), ${wanted}) > 0)`;
}

/** Whether any date could contain the wanted text; constant for the query. */
export function dateMayContain(wanted: SQL, { language = 'fr' }: Pick<ListQuery, 'language'>): SQL {
  const letters = (text: SQL) => sql`translate(${text}, '0123456789 :.', '')`;
  return sql`(strpos(${letters(sql`fold_text(${monthNames(language).join('|')})`)}, ${letters(wanted)}) > 0)`;
}

/** Abbreviated names of months as used inside a date, January first. */
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
 * Reads a list in the query's time zone. A zone that Node doesn't know is malformed. A zone that only PostgreSQL doesn't
 * know is replaced by UTC, so that the rest of the filter works: its zone table may be older than the browser's.
 */
export async function withKnownTimeZone<Q extends Pick<ListQuery, 'timeZone'>, Result>(
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

/**
 * Replaces a zone that PostgreSQL doesn't know by UTC.
 * @throws AppError malformed when it is not a zone
 */
export const knownTimeZone = <Result>(timeZone: string | undefined, read: (timeZone: string) => Promise<Result>) =>
  withKnownTimeZone({ timeZone }, (query) => read(query.timeZone ?? 'UTC'));

/** Refuses offsets such as '+02:00', too: PostgreSQL reads them with the opposite sign (POSIX). */
function requireTimeZone(timeZone: string | undefined): void {
  if (timeZone === undefined) return;
  try {
    if (!/^[a-z]/iu.test(timeZone)) throw new RangeError(timeZone);
    new Intl.DateTimeFormat('en', { timeZone });
  } catch (error) {
    throw new AppError('malformed', { issues: [{ path: 'timeZone', code: 'time_zone' }] }, { cause: error });
  }
}

/** A list as a single array parameter: with a placeholder for each entry, parsing would cost more than the query. */
export const arrayOf = (type: 'uuid' | 'text', values: readonly string[]): SQL =>
  sql`${sql.param([...values])}::${sql.raw(type)}[]`;

/** `column` is one of these values. */
export const isAnyOf = (column: AnyPgColumn, ids: readonly string[]): SQL =>
  sql`${column} = any(${arrayOf('uuid', ids)})`;
