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
  /** Rows a page to choose from. */
  sizes?: readonly number[];
  /** In place of the table when nothing is to be shown, whether for the filter or for good. */
  empty: ReactNode;
}

/** A list that the server pages, sorts and filters: skeleton, fault, table and pages in one. */
export function ListTable<Row, Sort extends string>(props: ListTableProps<Row, Sort>) {
  const { list, view, onView, sizes = PAGE_SIZES } = props;
  const page = list.data;
  const pages = page === undefined ? undefined : lastPage(page.total, view.size);
  const isPastTheEnd = pages !== undefined && !list.isPlaceholderData && view.page > pages;

  // Rows were deleted, or the address is of another day: there is always a page to look at.
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
        // A header's column is one of those that the list can be sorted by, or it would not be sortable.
        onSort={(sort) => onView({ sort: sort as SortRule<Sort>, page: 1 })}
        ticks={props.ticks}
        onOpen={props.onOpen}
        isStale={list.isPlaceholderData || isPastTheEnd}
      />
      <Pager view={view} total={page.total} sizes={sizes} onView={onView} />
    </div>
  );
}
