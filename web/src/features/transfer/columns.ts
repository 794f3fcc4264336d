import type { Cell } from '@pressel/contract/import-rules';
import { fieldOfHeader } from './header-words.ts';
import type { ImportField, ImportKind, ImportRow } from './import-kinds.ts';
import { FIELDS } from './import-kinds.ts';
import { isModelExample } from './model-example.ts';
import { type NamedSheet, type Sheet, type SheetCell, textOfCell } from './sheet.ts';

/** For each column of the sheet, the field it fills; null leaves it out. */
export type ColumnMapping = readonly (ImportField | null)[];

/** The fields that headers name by themselves. Each is filled once, except canal, which may go over several columns. */
export function matchColumns(kind: ImportKind, headers: readonly string[]): ColumnMapping {
  const taken = new Set<ImportField>();
  return headers.map((header) => {
    const field = fieldOfHeader(kind, header);
    if (field === null || (field !== 'canal' && taken.has(field))) return null;
    taken.add(field);
    return field;
  });
}

/** The fields that every row needs and no column fills. */
export const missingFields = (kind: ImportKind, mapping: ColumnMapping): ImportField[] =>
  FIELDS[kind].filter((field) => field !== 'canal' && !mapping.includes(field));

/** The sheet to begin with: the first whose header is recognised whole, else in part, else the first of all. */
export function bestSheet(kind: ImportKind, sheets: readonly NamedSheet[]): NamedSheet | undefined {
  const mapped = sheets.map((one) => ({ one, mapping: matchColumns(kind, one.sheet.headers) }));
  const found =
    mapped.find(({ mapping }) => missingFields(kind, mapping).length === 0) ??
    mapped.find(({ mapping }) => mapping.some((field) => field !== null));
  return found?.one ?? sheets[0];
}

/** The table as rows of an import, without the model's own example. Headers of the file never become keys here. */
export function rowsOf(sheet: Sheet, mapping: ColumnMapping): ImportRow[] {
  const read = sheet.rows.map(({ row, cells }) => {
    const read: ImportRow = { row };
    for (const [column, field] of mapping.entries()) {
      if (field === null) continue;
      const cell = cellOf(field, cells[column] ?? null);
      read[field] = field === 'canal' ? joinCells(read.canal, cell) : cell;
    }
    return read;
  });
  return read.filter((row) => !isModelExample(row));
}

/** A date by its day; for a password it is no text, as a truth value is none: it may be shown in a hundred ways. */
function cellOf(field: ImportField, cell: SheetCell): Cell {
  if (!(cell instanceof Date)) return cell;
  return field === 'password' ? false : textOfCell(cell);
}

function joinCells(before: Cell, cell: Cell): Cell {
  const parts = [before, cell].filter((part) => part !== null && part !== undefined && part !== '');
  return parts.length === 0 ? null : parts.length === 1 ? (parts[0] ?? null) : parts.join(';');
}

/** The rows under a new mapping, with what was typed over and removed under the old one. */
export function keepEdits(
  sheet: Sheet,
  before: ColumnMapping,
  edited: readonly ImportRow[],
  next: ColumnMapping,
): ImportRow[] {
  const original = new Map(rowsOf(sheet, before).map((row) => [row.row, row]));
  const fresh = new Map(rowsOf(sheet, next).map((row) => [row.row, row]));
  return edited.flatMap((row) => {
    const known = fresh.get(row.row);
    if (known === undefined) return [];
    const typed = Object.entries(row).filter(
      ([field, cell]) => cell !== original.get(row.row)?.[field as keyof ImportRow],
    );
    return [{ ...known, ...Object.fromEntries(typed) }];
  });
}
