import * as z from 'zod';
import type { TableView } from '#src/shared/ui/data-table.tsx';

/** The search part of a list's address. What is missing has its default and is left out of the address. */
export const listSearch = z.object({
  q: z.coerce.string().max(200).optional().catch(undefined),
  sort: z.string().max(40).optional().catch(undefined),
  desc: z.literal(true).optional().catch(undefined),
  page: z.int().min(2).max(100_000).optional().catch(undefined),
});
export type ListSearch = z.infer<typeof listSearch>;

/** The channels' list also has a panel: 'create', or the channel whose members are open. */
export const channelsSearch = listSearch.extend({ panel: z.string().max(64).optional().catch(undefined) });
export type ChannelsSearch = z.infer<typeof channelsSearch>;

export const viewOf = (search: ListSearch, defaultSort: string): TableView => ({
  filter: search.q ?? '',
  sort: { column: search.sort ?? defaultSort, isDescending: search.desc ?? false },
  page: search.page ?? 1,
});

/** The address after a change of the view. */
export function searchAfter<S extends ListSearch>(search: S, change: Partial<TableView>): S {
  const next = { ...search };
  if (change.filter !== undefined) next.q = change.filter || undefined;
  if (change.page !== undefined) next.page = change.page > 1 ? change.page : undefined;
  if (change.sort !== undefined) {
    next.sort = change.sort.column;
    next.desc = change.sort.isDescending ? true : undefined;
  }
  return next;
}
