import { IMPORT_MAX_ROWS } from '@pressel/contract/limits';
import { countHeaders } from './header-words.ts';

/** Titles, dates and notes stand above a header; it is looked for in so many rows that hold anything. */
const HEADER_SEARCH_ROWS = 20;

/** A cell as it stands in a file. */
export type SheetCell = string | number | boolean | Date | null;

/** What is written in a cell; of a date its ISO day. */
export const textOfCell = (cell: SheetCell): string =>
  cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell ?? '');

export interface SheetRow {
  /** The row's number in the file, from 1, empty rows and the header counted. */
  row: number;
  cells: readonly SheetCell[];
}

/** A table read from a file. Rows that are wholly empty are left out. */
export interface Sheet {
  headers: readonly string[];
  rows: readonly SheetRow[];
}

/** One sheet of a workbook; that of a CSV file has no name. */
export interface NamedSheet {
  name: string;
  sheet: Sheet;
}

/** Why a file gives no table. */
export const SHEET_FAULTS = [
  'too_large',
  'too_many_rows',
  'too_slow',
  /** A small file that unpacks to a huge one. */
  'bomb',
  'not_a_sheet',
  'old_excel',
  /** Excel's own encryption: the file is no longer a workbook to anybody without the password. */
  'locked',
  'empty',
  'only_header',
  /** Nothing but the model's own example row. */
  'only_example',
  'unreadable',
] as const;
export type SheetFault = (typeof SHEET_FAULTS)[number];

export class SheetError extends Error {
  readonly fault: SheetFault;

  constructor(fault: SheetFault, options?: ErrorOptions) {
    super(fault, options);
    this.name = 'SheetError';
    this.fault = fault;
  }
}

export type SheetReading = { ok: true; sheets: readonly NamedSheet[] } | { ok: false; fault: SheetFault };

const isEmpty = (cell: SheetCell): boolean => cell === null || (typeof cell === 'string' && cell.trim() === '');

/** The row of a table that is its header: the first that names most fields, else the first that holds anything. */
function headerIndexOf(table: readonly (readonly SheetCell[])[]): number {
  const filled: number[] = [];
  for (let index = 0; index < table.length && filled.length < HEADER_SEARCH_ROWS; index += 1)
    if (!table[index]?.every(isEmpty)) filled.push(index);
  let best = filled[0] ?? -1;
  // One word alone may be anybody's name.
  let most = Math.max(1, countHeaders(table[best] ?? []));
  for (const index of filled) {
    const count = countHeaders(table[index] ?? []);
    if (count <= most) continue;
    best = index;
    most = count;
  }
  return best;
}

/** The header and the rows below it that hold anything, as wide as the widest of them. Throws SheetError. */
export function toSheet(table: readonly (readonly SheetCell[])[]): Sheet {
  const first = headerIndexOf(table);
  const header = table[first];
  if (header === undefined) throw new SheetError('empty');
  const rows: SheetRow[] = [];
  const widthOf = (cells: readonly SheetCell[]) => cells.findLastIndex((cell) => !isEmpty(cell)) + 1;
  let width = widthOf(header);
  for (const [index, cells] of table.entries()) {
    if (index <= first || cells.every(isEmpty)) continue;
    if (rows.length === IMPORT_MAX_ROWS) throw new SheetError('too_many_rows');
    rows.push({ row: index + 1, cells });
    width = Math.max(width, widthOf(cells));
  }
  if (rows.length === 0) throw new SheetError('only_header');
  const widen = (cells: readonly SheetCell[]) => Array.from({ length: width }, (_, column) => cells[column] ?? null);
  return {
    headers: widen(header).map((cell) => textOfCell(cell).trim()),
    rows: rows.map(({ row, cells }) => ({ row, cells: widen(cells) })),
  };
}
