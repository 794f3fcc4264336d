import { PAGE_SIZES } from '@pressel/contract/limits';
import type { Language } from '#src/shared/languages.ts';
import { ownTimeZone } from '../format/format.ts';

export interface SortRule<Column extends string = string> {
  column: Column;
  isDescending: boolean;
}

/** The view of a list: filter, order, page (from 1) and page size. */
export interface ListView<Column extends string = string> {
  filter: string;
  sort: SortRule<Column>;
  page: number;
  size: number;
}

/** One page of rows, and the total number of rows. */
export interface ListPage<Row> {
  rows: readonly Row[];
  total: number;
}

/**
 * `asked`: the query that it answers. Pages with the same one are the same page at different moments. `filter`: the
 * filter used, trimmed.
 */
export interface AskedPage<Row> extends ListPage<Row> {
  asked: string;
  filter: string;
}

/** Returns the page if it answers the filter typed now; undefined for a page of an earlier filter. */
export const answerTo = <Page extends AskedPage<unknown>>(page: Page | undefined, typed: string): Page | undefined =>
  page?.filter === typed.trim() ? page : undefined;

export const firstView = <Column extends string>(column: Column, size: number = PAGE_SIZES[0]): ListView<Column> => ({
  filter: '',
  sort: { column, isDescending: false },
  page: 1,
  size,
});

/** The view after a change. A change of filter, order or page size leads back to the first page. */
export function changedView<Column extends string>(
  view: ListView<Column>,
  change: Partial<ListView<Column>>,
): ListView<Column> {
  return { ...view, page: 1, ...change };
}

/** The list query for a view. The filter matches words and dates as this browser displays them. */
export function pageQuery<Column extends string>(view: ListView<Column>, language: Language) {
  const filter = view.filter.trim();
  return {
    start: (view.page - 1) * view.size,
    limit: view.size,
    sort: view.sort.column,
    order: view.sort.isDescending ? ('desc' as const) : ('asc' as const),
    ...(filter === '' ? {} : { ...filterQuery(filter, language) }),
  };
}

/** A filter, with the language and time zone in which rows are displayed. */
export const filterQuery = (filter: string, language: Language) => ({
  filter: filter.trim(),
  language,
  timeZone: ownTimeZone(),
});

/** The number of the last page; 1 for an empty list. */
export const lastPage = (total: number, size: number): number => Math.max(1, Math.ceil(total / size));
