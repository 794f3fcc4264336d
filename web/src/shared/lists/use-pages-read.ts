import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLink } from '../realtime/use-link.ts';
import type { AskedPage, ListView } from './list-view.ts';

export interface PagesRead<Row> {
  /** The page to show: the newest answer, or the last one where the newest query has none. */
  page: AskedPage<Row> | undefined;
  /** The newest query has no answer. */
  isUnread: boolean;
  isLinkLost: boolean;
  /** The page and size of the shown rows, for the pager. */
  shown: Pick<ListView, 'page' | 'size'>;
  /** Whether a page can be shown: without the link only pages that were read before. */
  isThere: (page: number) => boolean;
}

/** Keeps a list's rows when it no longer gets answers, and promises no others (LIST6). */
export function usePagesRead<Row>(list: UseQueryResult<AskedPage<Row>>, view: ListView): PagesRead<Row> {
  const queries = useQueryClient();
  const isLinkLost = useLink() === 'down';
  const [last, setLast] = useState<AskedPage<Row>>();
  if (list.data !== undefined && list.data !== last) setLast(list.data);
  const page = list.data ?? (list.isError ? last : undefined);
  const isUnread = list.isError && page !== undefined;
  const asked = page === undefined ? undefined : (JSON.parse(page.asked) as { start: number; limit: number });
  return {
    page,
    isUnread,
    isLinkLost,
    shown: isUnread && asked !== undefined ? { page: asked.start / asked.limit + 1, size: asked.limit } : view,
    isThere(wanted) {
      if (!isLinkLost || asked === undefined) return true;
      const text = JSON.stringify({ ...asked, start: (wanted - 1) * asked.limit });
      const all = queries.getQueryCache().findAll({ predicate: ({ queryKey }) => queryKey[1] === 'page' });
      return all.some(({ state }) => (state.data as AskedPage<Row> | undefined)?.asked === text);
    },
  };
}
