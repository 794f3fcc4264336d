import { PAGE_SIZES } from '@pressel/contract/limits';
import { USER_COLUMNS } from '@pressel/contract/users';
import type { ListView } from '#src/shared/lists/list-view.ts';
import { useStorage } from '#src/shared/services.tsx';
import { type ListSearch, size } from './search-params.ts';

/** The columns that users can be sorted by; the first one, last name, is the default. */
export const USER_SORTS = ['lastName', ...USER_COLUMNS] as const;

/** The state of a list's page that is kept in the URL. */
export interface PageView<Column extends string> extends ListView<Column> {
  panel: string | undefined;
}

/** The view for search parameters; an unknown column becomes the first one. */
export function viewOf<Column extends string>(
  search: ListSearch,
  columns: readonly [Column, ...Column[]],
  rememberedSize: number,
): PageView<Column> {
  return {
    filter: search.q ?? '',
    sort: {
      column: columns.find((column) => column === search.sort) ?? columns[0],
      isDescending: search.desc ?? false,
    },
    page: search.page ?? 1,
    size: search.size ?? rememberedSize,
    panel: search.panel,
  };
}

/** The search parameters after a change of the view. */
export function searchAfter<S extends ListSearch>(search: S, change: Partial<PageView<string>>): S {
  const next = { ...search };
  if (change.filter !== undefined) next.q = change.filter || undefined;
  if (change.page !== undefined) next.page = change.page > 1 ? change.page : undefined;
  if (change.size !== undefined) next.size = size().safeParse(change.size).data;
  if (change.sort !== undefined) {
    next.sort = change.sort.column;
    next.desc = change.sort.isDescending ? true : undefined;
  }
  if ('panel' in change) next.panel = change.panel;
  return next;
}

/** Whether a change adds a history entry: opening a panel, paging and sorting do, typing a filter does not (LIST4). */
export const isStep = ({ filter, panel, page, sort, size }: Partial<PageView<string>>): boolean =>
  panel !== undefined || (filter === undefined && (page ?? sort ?? size) !== undefined);

/** The page size last chosen for a list on this device; five by default (spec §9). */
export function useRememberedSize(list: 'users' | 'channels' | 'dashboardUsers' | 'dashboardChannels') {
  const storage = useStorage();
  const name = `${list}PageSize` as const;
  return {
    size: storage.readPreference(name, size()) ?? PAGE_SIZES[0],
    remember: (change: Partial<ListView>) => {
      if (change.size !== undefined) storage.writePreference(name, change.size);
    },
  };
}
