import { UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import type { CSSProperties, KeyboardEvent, ReactNode } from 'react';
import { nameOrder } from '../format/format.ts';
import { useLanguage } from '../i18n/use-language.ts';
import styles from './data-table.module.css';
import { Pager } from './pager.tsx';
import { type ColumnValue, filterRows, type SortRule, sortRows } from './table-rows.ts';

/** Rows shown at once: a page of thousands would be slow to draw and no easier to read. */
export const PAGE_SIZE = 50;

export interface Column<Row> extends ColumnValue<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'start' | 'end' | 'center';
  width?: string;
  /** On a phone. */
  narrowWidth?: string;
  /** Left out on a phone. */
  isWideOnly?: boolean;
}

/** What of a table belongs in the address: filter, order, page (from 1). */
export interface TableView {
  filter: string;
  sort: SortRule;
  page: number;
}

export interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  view: TableView;
  onView: (change: Partial<TableView>) => void;
  /** A click anywhere on the row; the first cell must hold the same way in for keyboards. */
  onOpen?: (row: Row) => void;
  empty: ReactNode;
}

/** A dense list: sorted by its headers, narrowed by the filter, one page at a time. */
export function DataTable<Row>({ columns, rows, view, onView, ...props }: DataTableProps<Row>) {
  const { current } = useLanguage();
  const found = filterRows(rows, columns, view.filter);
  const sorted = sortRows(found, columns, view.sort, nameOrder(current));
  const pages = Math.max(1, Math.ceil(sorted.length / PAGE_SIZE));
  const page = Math.min(view.page, pages);
  const shown = sorted.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const toggle = (column: string) =>
    onView({
      sort: { column, isDescending: view.sort.column === column && !view.sort.isDescending },
      page: 1,
    });

  if (sorted.length === 0) return <div className={styles.frame}>{props.empty}</div>;
  return (
    <div className={styles.frame}>
      <table className={styles.table}>
        <caption className={styles.caption}>{props.caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={view.sort} onToggle={() => toggle(column.id)} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={moveBetweenRows}>
          {shown.map((row) => (
            <Row key={props.rowKey(row)} row={row} columns={columns} onOpen={props.onOpen} />
          ))}
        </tbody>
      </table>
      {pages > 1 && <Pager page={page} pages={pages} onPage={(next) => onView({ page: next })} />}
    </div>
  );
}

interface HeaderCellProps {
  column: Pick<Column<never>, 'id' | 'header' | 'align' | 'width' | 'narrowWidth' | 'isWideOnly'> & {
    sortValue?: unknown;
  };
  sort: SortRule;
  onToggle: () => void;
}

function HeaderCell({ column, sort, onToggle }: HeaderCellProps) {
  const isSorted = sort.column === column.id;
  const Arrow = sort.isDescending ? IconArrowDown : IconArrowUp;
  const direction = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : 'none';
  return (
    <th
      scope="col"
      data-align={column.align}
      data-wide-only={column.isWideOnly || undefined}
      style={{ '--wide': column.width, '--narrow': column.narrowWidth ?? column.width } as CSSProperties}
      aria-sort={column.sortValue === undefined ? undefined : direction}
    >
      {column.sortValue === undefined ? (
        column.header
      ) : (
        <UnstyledButton className={styles.sort} onClick={onToggle} data-sorted={isSorted || undefined}>
          {column.header}
          <Arrow className={styles.arrow} size={14} aria-hidden="true" />
        </UnstyledButton>
      )}
    </th>
  );
}

interface RowProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  onOpen: ((row: Row) => void) | undefined;
}

function Row<T>({ row, columns, onOpen }: RowProps<T>) {
  return (
    <tr
      data-opens={onOpen ? true : undefined}
      onClick={(event) => {
        // Links, buttons and selected text inside the row act for themselves.
        const target = event.target instanceof Element ? event.target.closest('a, button, input, label') : null;
        if (target === null && window.getSelection()?.isCollapsed !== false) onOpen?.(row);
      }}
    >
      {columns.map((column) => (
        <td key={column.id} data-align={column.align} data-wide-only={column.isWideOnly || undefined}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** Arrow keys go from row to row, by the first link or button of each. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(event.target instanceof Element)) return;
  const row = event.target.closest('tr');
  const next = step === 1 ? row?.nextElementSibling : row?.previousElementSibling;
  const target = next?.querySelector<HTMLElement>('a, button');
  if (!target) return;
  event.preventDefault();
  target.focus();
}
