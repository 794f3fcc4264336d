import { PAGE_SIZES } from '@pressel/contract/limits';
import * as z from 'zod';
import type { ListView } from '#src/shared/lists/list-view.ts';
import { useStorage } from '#src/shared/services.tsx';

const size = z.literal([...PAGE_SIZES]);

/** The search part of a list's address. What is missing has its default and is left out of the address. */
export const listSearch = z.object({
  q: z.coerce.string().max(200).optional().catch(undefined),
  sort: z.string().max(40).optional().catch(undefined),
  desc: z.literal(true).optional().catch(undefined),
  page: z.int().min(2).max(1_000_000).optional().catch(undefined),
  size: size.optional().catch(undefined),
  /** What is open over the list: 'create', or the id of what is edited. */
  panel: z.string().max(64).optional().catch(undefined),
});
export type ListSearch = z.infer<typeof listSearch>;

/** What of a list's page stands in its address. */
export interface PageView<Column extends string> extends ListView<Column> {
  panel: string | undefined;
}

/** The view that an address asks for; a column that the list hasn't is its first one. */
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

/** The address after a change of the view. */
export function searchAfter<S extends ListSearch>(search: S, change: Partial<PageView<string>>): S {
  const next = { ...search };
  if (change.filter !== undefined) next.q = change.filter || undefined;
  if (change.page !== undefined) next.page = change.page > 1 ? change.page : undefined;
  if (change.size !== undefined) next.size = size.safeParse(change.size).data;
  if (change.sort !== undefined) {
    next.sort = change.sort.column;
    next.desc = change.sort.isDescending ? true : undefined;
  }
  if ('panel' in change) next.panel = change.panel;
  return next;
}

/** A panel is a place to come back from; a filter being typed is not. */
export const isStep = (change: Partial<PageView<string>>): boolean => change.panel !== undefined;

/** How many rows a page this device was asked for last; five until then (spec §9). */
export function useRememberedSize(): { size: number; remember: (change: Partial<ListView>) => void } {
  const storage = useStorage();
  return {
    size: storage.readPreference('pageSize', size) ?? PAGE_SIZES[0],
    remember: (change) => {
      if (change.size !== undefined) storage.writePreference('pageSize', change.size);
    },
  };
}
