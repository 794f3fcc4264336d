import { foldText } from '../format/format.ts';

export interface SortRule {
  column: string;
  isDescending: boolean;
}

/** What a table must know of a column to sort and filter by it. */
export interface ColumnValue<Row> {
  id: string;
  /** Numbers sort by value, text as the language orders names; undefined: not sortable. */
  sortValue?: (row: Row) => string | number;
  /** The text that the filter looks at; undefined: not looked at. */
  filterText?: (row: Row) => string;
}

/** Rows whose whole text contains the filter, without regard to case and accents (spec §2). */
export function filterRows<Row>(rows: readonly Row[], columns: readonly ColumnValue<Row>[], filter: string) {
  const wanted = foldText(filter.trim());
  if (wanted === '') return rows;
  return rows.filter((row) =>
    foldText(columns.map((column) => column.filterText?.(row) ?? '').join('\n')).includes(wanted),
  );
}

/** Rows in order of a column; equal ones stay as they were. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly ColumnValue<Row>[],
  rule: SortRule,
  compareText: (a: string, b: string) => number,
): readonly Row[] {
  const value = columns.find((column) => column.id === rule.column)?.sortValue;
  if (value === undefined) return rows;
  const direction = rule.isDescending ? -1 : 1;
  const keyed = rows.map((row) => [value(row), row] as const);
  keyed.sort(
    ([a], [b]) =>
      direction * (typeof a === 'number' && typeof b === 'number' ? a - b : compareText(String(a), String(b))),
  );
  return keyed.map(([, row]) => row);
}
