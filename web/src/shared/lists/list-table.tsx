import { Button } from '@mantine/core';
import { PAGE_SIZES } from '@pressel/contract/limits';
import { IconArrowUp, IconCloudOff } from '@tabler/icons-react';
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useEffect, useState } from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import { type AskedPage, type ListView, lastPage, type SortRule } from '#src/shared/lists/list-view.ts';
import { type SteadyList, useSteadyRows } from '#src/shared/lists/use-steady-rows.ts';
import { useLink } from '#src/shared/services.tsx';
import { useAnnouncement, useFoundAnnouncement } from '#src/shared/ui/announcer.tsx';
import { LoadError, RowsSkeleton } from '#src/shared/ui/load-states.tsx';
import styles from './data-table.module.css';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { Pager } from './pager.tsx';

/** Says that a list whose rows are held has changed, and shows the changes on request. */
function ListNews<Row>({ list }: { list: SteadyList<Row> }) {
  const { t } = useTranslation('shared');
  if (!list.isHeld) return null;
  return (
    <div role="status" className={styles.news}>
      {list.isChanged && (
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<IconArrowUp size={14} aria-hidden="true" />}
          onClick={list.onShow}
        >
          {list.waiting > 0 ? t('list.waiting', { count: list.waiting }) : t('list.changed')}
        </Button>
      )}
    </div>
  );
}

export interface ListTableProps<Row, Sort extends string>
  extends Pick<DataTableProps<Row>, 'caption' | 'columns' | 'rowKey' | 'ticks' | 'onOpen'> {
  list: UseQueryResult<AskedPage<Row>>;
  view: ListView<Sort>;
  /** `isSilent`: a correction, which adds no history entry. */
  onView: (change: Partial<ListView<Sort>>, isSilent?: boolean) => void;
  /** Page sizes to choose from. */
  sizes?: readonly number[];
  /** Shown instead of the table when there are no rows. */
  empty: ReactNode;
}

/**
 * A list that the server pages, sorts and filters: skeleton, error, table and pager. While the user points at it or is
 * in it by keyboard, its rows keep their places (LIST1). Without an answer it keeps the rows it has (LIST6).
 */
export function ListTable<Row, Sort extends string>(props: ListTableProps<Row, Sort>) {
  const { list, view, onView, sizes = PAGE_SIZES } = props;
  const { page, isUnread, isLinkLost, isThere, shown } = usePagesRead(list, view);
  const pages = page === undefined ? undefined : lastPage(page.total, view.size);
  const steady = useSteadyRows(page?.rows ?? NO_ROWS, props.rowKey, page && { ...page, isEarlier: isEarlier(list) });
  useFoundAnnouncement(view.filter, list.isPlaceholderData || isUnread ? undefined : page?.total);
  const isSettled = !list.isPlaceholderData && !isUnread && !steady.isHeld;
  // Rows available at once are rendered at once, because the page may be scrolled to its old position.
  const [isAwaited] = useState(page === undefined);
  // Deferred: rendered in pieces, between which the page responds.
  const isDue = useDeferredValue(page !== undefined);
  const isPastTheEnd = pages !== undefined && isSettled && view.page > pages;

  // Falls back to the last page when the current one no longer exists (rows deleted, or an old URL).
  useEffect(() => {
    if (isPastTheEnd) onView({ page: pages }, true);
  });

  if (page === undefined || !isDue) {
    if (page === undefined && list.isError) return <LoadError error={list.error} onRetry={() => void list.refetch()} />;
    return <RowsSkeleton rows={Math.min(view.size, 10) + 1} />;
  }
  if (page.total === 0 && steady.rows.length === 0) {
    return (
      <div key="empty" className={styles.frame}>
        {props.empty}
      </div>
    );
  }
  return (
    <div key="rows" className={styles.frame} {...steady.hold}>
      <ListNews list={steady} />
      <DataTable
        caption={props.caption}
        columns={props.columns}
        rows={steady.rows}
        rowKey={props.rowKey}
        sort={view.sort}
        // Only columns of type Sort are marked sortable.
        onSort={(sort) => onView({ sort: sort as SortRule<Sort>, page: 1 })}
        ticks={props.ticks}
        onOpen={props.onOpen}
        isAwaited={isAwaited}
        isStale={list.isPlaceholderData || isPastTheEnd}
      />
      <ListOld isUnread={isUnread} isLinkLost={isLinkLost} onRetry={() => void list.refetch()} />
      <Pager list={props.caption} view={shown} total={page.total} sizes={sizes} onView={onView} isThere={isThere} />
    </div>
  );
}

/** Whether the rows were read before this query was made, and its answer is on its way. */
const isEarlier = (list: UseQueryResult) => list.isFetching && !list.isFetchedAfterMount;

const NO_ROWS: readonly never[] = [];

interface ListOldProps {
  /** The newest query failed, so the rows are those of before. */
  isUnread: boolean;
  isLinkLost: boolean;
  onRetry: () => void;
}

/** Says that the rows shown may be old. */
function ListOld({ isUnread, isLinkLost, onRetry }: ListOldProps) {
  const { t } = useTranslation('shared');
  // The banner says that the link is lost.
  useAnnouncement(isUnread ? t('list.unread') : undefined);
  if (!isUnread && !isLinkLost) return null;
  return (
    <div className={styles.old}>
      <IconCloudOff size={16} aria-hidden="true" />
      <span>{t(isUnread ? 'list.unread' : 'list.old')}</span>
      {isUnread && (
        <Button size="compact-xs" variant="default" onClick={onRetry}>
          {t('retry')}
        </Button>
      )}
    </div>
  );
}

interface PagesRead<Row> {
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
function usePagesRead<Row>(list: UseQueryResult<AskedPage<Row>>, view: ListView): PagesRead<Row> {
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
