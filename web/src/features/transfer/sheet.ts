import { IMPORT_MAX_ROWS } from '@pressel/contract/limits';
import { countHeaders } from './header-words.ts';

/** Number of non-empty rows searched for the header: titles, dates and notes may precede it. */
const HEADER_SEARCH_ROWS = 20;

/** A cell as read from a file. */
export type SheetCell = string | number | boolean | Date | null;

/** A cell as text; a date as its ISO day. */
export const textOfCell = (cell: SheetCell): string =>
  cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell ?? '');

export interface SheetRow {
  /** The row's number in the file, from 1, counting empty rows and the header. */
  row: number;
  cells: readonly SheetCell[];
}

/** A table read from a file, without empty rows. */
export interface Sheet {
  headers: readonly string[];
  rows: readonly SheetRow[];
}

/** A sheet of a workbook; that of a CSV file has an empty name. */
export interface NamedSheet {
  name: string;
  sheet: Sheet;
}

/** Why a file can't be read as a table. */
export const SHEET_FAULTS = [
  'too_large',
  'too_many_rows',
  'too_slow',
  /** A zip bomb: a small file that unpacks to a huge one. */
  'bomb',
  'not_a_sheet',
  'old_excel',
  /** Encrypted by Excel with a password. */
  'locked',
  'empty',
  'only_header',
  /** Only the template's example row. */
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

/** The header's row: the first with the most field names, else the first non-empty row. */
function headerIndexOf(table: readonly (readonly SheetCell[])[]): number {
  const filled: number[] = [];
  for (let index = 0; index < table.length && filled.length < HEADER_SEARCH_ROWS; index += 1)
    if (!table[index]?.every(isEmpty)) filled.push(index);
  let best = filled[0] ?? -1;
  // A single match may be a coincidence (a cell 'Name'), so a later row must match at least two fields.
  let most = Math.max(1, countHeaders(table[best] ?? []));
  for (const index of filled) {
    const count = countHeaders(table[index] ?? []);
    if (count <= most) continue;
    best = index;
    most = count;
  }
  return best;
}

/** The header and the non-empty rows below it, padded to the widest. Throws SheetError. */
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
