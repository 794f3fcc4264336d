import { UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  startTransition,
  useEffect,
  useState,
} from 'react';
import { useTranslation } from '#src/shared/i18n/use-translation.tsx';
import type { SteadyRow } from '#src/shared/lists/use-steady-rows.ts';
import { TickBox } from '#src/shared/ui/tick-box.tsx';
import styles from './data-table.module.css';
import type { SortRule } from './list-view.ts';

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Whether the list can be sorted by this column. */
  isSortable?: boolean;
  align?: 'start' | 'end' | 'center';
  width?: string;
  /** Width on phones. */
  narrowWidth?: string;
  /** Hidden on phones. */
  isWideOnly?: boolean;
  /** On phones its header is for screen readers only. */
  isHeaderQuiet?: boolean;
  /** Hidden below 1200 px. */
  isRoomyOnly?: boolean;
  /** Hidden below 1480 px. */
  isSpaciousOnly?: boolean;
}

/** Selection of rows by checkboxes. */
export interface Ticks<Row> {
  isPicked: (row: Row) => boolean;
  onPick: (rows: readonly Row[], isPicked: boolean) => void;
  /** Accessible name of the checkbox of a row, or of all rows shown. */
  label: (row: Row | 'all') => string;
}

export interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  /** The rows of the current page, in order. A row that is gone is shown, but does nothing. */
  rows: readonly SteadyRow<Row>[];
  rowKey: (row: Row) => string;
  sort: SortRule;
  onSort: (sort: SortRule) => void;
  ticks?: Ticks<Row> | undefined;
  /** Called on a click anywhere on the row. The first cell must have a link or button for keyboards. */
  onOpen?: ((row: Row) => void) | undefined;
  /** The rows are those of the previous query, while the next one loads. */
  isStale?: boolean;
  /** The rows replace a skeleton. The rows that fit on most screens come first, the others a moment later. */
  isAwaited?: boolean;
}

const FIRST_ROWS = 8;

/** A dense table for one page of rows, with sortable headers and checkboxes. */
export function DataTable<Row>({ columns, rows, ticks, sort, ...props }: DataTableProps<Row>) {
  const toggle = (column: string) =>
    props.onSort({ column, isDescending: sort.column === column && !sort.isDescending });
  const [isWhole, setWhole] = useState(!props.isAwaited);
  useEffect(() => startTransition(() => setWhole(true)), []);
  return (
    <table className={styles.table} data-stale={props.isStale || undefined} aria-busy={props.isStale || undefined}>
      <caption className={styles.caption}>{props.caption}</caption>
      <thead>
        <tr>
          {ticks && (
            <th scope="col" className={styles.tick}>
              <AllBox rows={rows.flatMap(({ row, isGone }) => (isGone ? [] : [row]))} ticks={ticks} />
            </th>
          )}
          {columns.map((column) => (
            <HeaderCell key={column.id} column={column} sort={sort} onToggle={() => toggle(column.id)} />
          ))}
        </tr>
      </thead>
      <tbody onKeyDown={moveBetweenRows}>
        {(isWhole ? rows : rows.slice(0, FIRST_ROWS)).map(({ row, isGone }) => (
          <Row
            key={props.rowKey(row)}
            row={row}
            isGone={isGone}
            columns={columns}
            ticks={ticks}
            onOpen={props.onOpen}
          />
        ))}
      </tbody>
    </table>
  );
}

function AllBox<Row>({ rows, ticks }: { rows: readonly Row[]; ticks: Ticks<Row> }) {
  const picked = rows.filter(ticks.isPicked).length;
  return (
    <TickBox
      isTicked={rows.length > 0 && picked === rows.length}
      isIndeterminate={picked > 0}
      label={ticks.label('all')}
      onTick={(isPicked) => ticks.onPick(rows, isPicked)}
    />
  );
}

interface HeaderCellProps {
  column: Pick<
    Column<never>,
    | 'id'
    | 'header'
    | 'align'
    | 'width'
    | 'narrowWidth'
    | 'isWideOnly'
    | 'isRoomyOnly'
    | 'isSpaciousOnly'
    | 'isSortable'
    | 'isHeaderQuiet'
  >;
  sort: SortRule;
  onToggle: () => void;
}

function HeaderCell({ column, sort, onToggle }: HeaderCellProps) {
  const isSorted = sort.column === column.id;
  const Arrow = isSorted && sort.isDescending ? IconArrowDown : IconArrowUp;
  const direction = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : 'none';
  return (
    <th
      scope="col"
      data-align={column.align}
      data-wide-only={column.isWideOnly || undefined}
      data-roomy-only={column.isRoomyOnly || undefined}
      data-spacious-only={column.isSpaciousOnly || undefined}
      style={{ '--wide': column.width, '--narrow': column.narrowWidth ?? column.width } as CSSProperties}
      aria-sort={column.isSortable ? direction : undefined}
    >
      {column.isSortable ? (
        <UnstyledButton className={styles.sort} onClick={onToggle} data-sorted={isSorted || undefined}>
          {column.header}
          <Arrow className={styles.arrow} size={14} aria-hidden="true" />
        </UnstyledButton>
      ) : (
        <span data-quiet={column.isHeaderQuiet || undefined}>{column.header}</span>
      )}
    </th>
  );
}

interface RowProps<Row> {
  row: Row;
  isGone: boolean;
  columns: readonly Column<Row>[];
  ticks: Ticks<Row> | undefined;
  onOpen: ((row: Row) => void) | undefined;
}

function Row<T>({ row, isGone, columns, ticks, onOpen }: RowProps<T>) {
  const { t } = useTranslation('shared');
  const isPicked = ticks?.isPicked(row) ?? false;
  return (
    <tr
      data-opens={onOpen ? true : undefined}
      data-picked={isPicked || undefined}
      data-gone={isGone || undefined}
      // The buttons of a row that is gone stay, so that the focus does, but they do nothing.
      aria-disabled={isGone || undefined}
      title={isGone ? t('list.gone') : undefined}
      onClickCapture={isGone ? swallow : undefined}
      onClick={(event) => {
        // Clicks on links, buttons and menus, and text selections inside the row don't open it.
        const target =
          event.target instanceof Element ? event.target.closest('a, button, input, label, [role=menu]') : null;
        if (target === null && window.getSelection()?.isCollapsed !== false) onOpen?.(row);
      }}
    >
      {ticks && (
        <td className={styles.tick}>
          <TickBox isTicked={isPicked} label={ticks.label(row)} onTick={(isOn) => ticks.onPick([row], isOn)} />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id}
          data-align={column.align}
          data-wide-only={column.isWideOnly || undefined}
          data-roomy-only={column.isRoomyOnly || undefined}
          data-spacious-only={column.isSpaciousOnly || undefined}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

const swallow = (event: MouseEvent) => {
  event.preventDefault();
  event.stopPropagation();
};

/** Arrow up/down moves the focus to the same control of the next row, or to its first control. */
function moveBetweenRows(event: KeyboardEvent<HTMLTableSectionElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0 || !(event.target instanceof Element)) return;
  const row = event.target.closest('tr');
  const next = step === 1 ? row?.nextElementSibling : row?.previousElementSibling;
  const controls = 'a, button, input';
  const index = [...(row?.querySelectorAll(controls) ?? [])].indexOf(event.target);
  const others = next?.querySelectorAll<HTMLElement>(controls);
  const target = others?.[index] ?? others?.[0];
  if (!target) return;
  event.preventDefault();
  target.focus();
}
