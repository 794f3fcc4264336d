import { IMPORT_MAX_ROWS } from '@pressel/contract/limits';
import { countHeaders } from './header-words.ts';

/** Number of non-empty rows searched for the header: titles, dates and notes may precede it. */
const HEADER_SEARCH_ROWS = 20;

type PlainCell = string | number | boolean | Date;

/**
 * A cell with its origin. 'shown': a number as its format shows it, with the number itself. 'merged': filled from the
 * cell above, with which it is merged.
 */
export type NotedCell = { note: 'shown'; value: string; number: number } | { note: 'merged'; value: PlainCell };

/** A cell as read from a file. */
export type SheetCell = PlainCell | NotedCell | null;

export const isNoted = (cell: SheetCell): cell is NotedCell =>
  typeof cell === 'object' && cell !== null && 'note' in cell;

/** A cell as text; a date as its ISO day. */
export function textOfCell(cell: SheetCell): string {
  const value = isNoted(cell) ? cell.value : cell;
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value ?? '');
}

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
  /** Hidden in the workbook. */
  isHidden?: boolean;
  /** For a text file: what its reading found. */
  text?: {
    /** The number of non-empty lines, from the first one of titles or data. */
    lines: number;
    /** The line of a quote that swallowed lines; see `CsvTable`. */
    strayQuote?: number;
  };
}

/** The request to the worker that reads a file. */
export interface SheetRequest {
  bytes: Uint8Array<ArrayBuffer>;
  options: ReadOptions;
}

/** The reasons why a file can't be read as a table. */
export const SHEET_FAULTS = [
  'too_large',
  'too_many_rows',
  'too_slow',
  /** A zip bomb: a small file that unpacks to a huge one. */
  'bomb',
  'not_a_sheet',
  'old_excel',
  'ods',
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

/** A cell that only a merge filled doesn't make a row. */
const isEmpty = (cell: SheetCell): boolean =>
  cell === null || (isNoted(cell) ? cell.note === 'merged' : typeof cell === 'string' && cell.trim() === '');

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

/**
 * The header and the non-empty rows below it, padded to the widest. Without a header: all non-empty rows, below empty
 * titles. Throws SheetError.
 */
export function toSheet(table: readonly (readonly SheetCell[])[], titles: ReadOptions['header'] = 'found'): Sheet {
  const first = titles === 'none' ? -1 : headerIndexOf(table);
  const header = titles === 'none' ? [] : table[first];
  if (header === undefined || table.every((cells) => cells.every(isEmpty))) throw new SheetError('empty');
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

// Imported by the worker that reads files, so this file must not import the contract's code (bundle size).

export const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const;
export const SEPARATORS = [';', ',', '\t'] as const;

/** Options of reading a file; 'found': as its content suggests. */
export interface ReadOptions {
  /** For text files only. */
  encoding: 'found' | (typeof ENCODINGS)[number];
  delimiter: 'found' | (typeof SEPARATORS)[number];
  /** 'marks' enclose a cell; 'letters' are part of it. */
  quotes: 'marks' | 'letters';
  /** Whether there is a row of titles; without one, the first row is data. */
  header: 'found' | 'none';
}

export const AS_FOUND: ReadOptions = { encoding: 'found', delimiter: 'found', quotes: 'marks', header: 'found' };
