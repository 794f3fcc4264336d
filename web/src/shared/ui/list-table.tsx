import { PAGE_SIZES } from '@pressel/contract/limits';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { type ListPage, type ListView, lastPage, type SortRule } from '../lists/list-view.ts';
import styles from './data-table.module.css';
import { DataTable, type DataTableProps } from './data-table.tsx';
import { LoadError, RowsSkeleton } from './load-states.tsx';
import { Pager } from './pager.tsx';

export interface ListTableProps<Row, Sort extends string>
  extends Pick<DataTableProps<Row>, 'caption' | 'columns' | 'rowKey' | 'ticks' | 'onOpen'> {
  list: UseQueryResult<ListPage<Row>>;
  view: ListView<Sort>;
  onView: (change: Partial<ListView<Sort>>) => void;
  /** Page sizes to choose from. */
  sizes?: readonly number[];
  /** Shown instead of the table when there are no rows. */
  empty: ReactNode;
}

/** A list that is paged, sorted and filtered by the server: skeleton, error, table and pager. */
export function ListTable<Row, Sort extends string>(props: ListTableProps<Row, Sort>) {
  const { list, view, onView, sizes = PAGE_SIZES } = props;
  const page = list.data;
  const pages = page === undefined ? undefined : lastPage(page.total, view.size);
  const isPastTheEnd = pages !== undefined && !list.isPlaceholderData && view.page > pages;

  // Falls back to the last page when the current one no longer exists (rows deleted, or an old URL).
  useEffect(() => {
    if (isPastTheEnd) onView({ page: pages });
  });

  if (page === undefined) {
    if (list.isError) return <LoadError error={list.error} onRetry={() => void list.refetch()} />;
    return <RowsSkeleton rows={Math.min(view.size, 10) + 1} />;
  }
  if (page.total === 0) return <div className={styles.frame}>{props.empty}</div>;
  return (
    <div className={styles.frame}>
      <DataTable
        caption={props.caption}
        columns={props.columns}
        rows={page.rows}
        rowKey={props.rowKey}
        sort={view.sort}
        // Only columns of type Sort are marked sortable.
        onSort={(sort) => onView({ sort: sort as SortRule<Sort>, page: 1 })}
        ticks={props.ticks}
        onOpen={props.onOpen}
        isStale={list.isPlaceholderData || isPastTheEnd}
      />
      <Pager view={view} total={page.total} sizes={sizes} onView={onView} />
    </div>
  );
}
