import { PAGE_SIZES } from '@pressel/contract/limits';
import type { Language } from '../i18n/languages.ts';

export interface SortRule<Column extends string = string> {
  column: Column;
  isDescending: boolean;
}

/** What of a list is shown: filter, order, page (from 1) and rows a page. */
export interface ListView<Column extends string = string> {
  filter: string;
  sort: SortRule<Column>;
  page: number;
  size: number;
}

/** One page as the server gave it, and how many rows there are in all. */
export interface ListPage<Row> {
  rows: readonly Row[];
  total: number;
}

export const firstView = <Column extends string>(column: Column, size: number = PAGE_SIZES[0]): ListView<Column> => ({
  filter: '',
  sort: { column, isDescending: false },
  page: 1,
  size,
});

/** The view after a change. Whatever changes which rows there are, or their order, leads back to the first page. */
export function changedView<Column extends string>(
  view: ListView<Column>,
  change: Partial<ListView<Column>>,
): ListView<Column> {
  return { ...view, page: 1, ...change };
}

/** What the contract's lists are asked for to show a view. Words and dates are matched as this browser shows them. */
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

/** A filter with what it takes to match rows as they are shown here. */
export const filterQuery = (filter: string, language: Language) => ({
  filter: filter.trim(),
  language,
  timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
});

/** The last page of a list; 1 when it is empty. */
export const lastPage = (total: number, size: number): number => Math.max(1, Math.ceil(total / size));
