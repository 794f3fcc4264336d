import { IMPORT_MAX_ROWS } from '@pressel/contract/limits';

/** A cell as it stands in a file. Dates come as their ISO day. */
export type SheetCell = string | number | boolean | null;

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

export type SheetReading = { ok: true; sheet: Sheet } | { ok: false; fault: SheetFault };

const isEmpty = (cell: SheetCell): boolean => cell === null || (typeof cell === 'string' && cell.trim() === '');

/** The first row that holds anything is the header; the rows below it are the table. Throws SheetError. */
export function toSheet(table: readonly (readonly SheetCell[])[]): Sheet {
  const first = table.findIndex((cells) => !cells.every(isEmpty));
  const header = table[first];
  if (header === undefined) throw new SheetError('empty');
  const rows: SheetRow[] = [];
  for (const [index, cells] of table.entries()) {
    if (index <= first || cells.every(isEmpty)) continue;
    if (rows.length === IMPORT_MAX_ROWS) throw new SheetError('too_many_rows');
    rows.push({ row: index + 1, cells: header.map((_, column) => cells[column] ?? null) });
  }
  if (rows.length === 0) throw new SheetError('only_header');
  return { headers: header.map((cell) => (cell === null ? '' : String(cell).trim())), rows };
}
