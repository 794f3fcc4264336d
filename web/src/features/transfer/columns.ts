import type { Cell } from '@pressel/contract/import-rules';
import { fieldOfHeader } from './header-words.ts';
import type { ImportField, ImportKind, ImportRow } from './import-kinds.ts';
import { FIELDS } from './import-kinds.ts';
import { isModelExample } from './model-example.ts';
import { type NamedSheet, type Sheet, type SheetCell, textOfCell } from './sheet.ts';

/** For each column of the sheet, its field; null ignores the column. */
export type ColumnMapping = readonly (ImportField | null)[];

/** Maps headers to fields automatically. Each field gets one column, except canal, which may have several. */
export function matchColumns(kind: ImportKind, headers: readonly string[]): ColumnMapping {
  const taken = new Set<ImportField>();
  return headers.map((header) => {
    const field = fieldOfHeader(kind, header);
    if (field === null || (field !== 'canal' && taken.has(field))) return null;
    taken.add(field);
    return field;
  });
}

/** The required fields without a column. */
export const missingFields = (kind: ImportKind, mapping: ColumnMapping): ImportField[] =>
  FIELDS[kind].filter((field) => field !== 'canal' && !mapping.includes(field));

/** The sheet to preselect: the first with a fully recognised header, else partly recognised, else the first. */
export function bestSheet(kind: ImportKind, sheets: readonly NamedSheet[]): NamedSheet | undefined {
  const mapped = sheets.map((one) => ({ one, mapping: matchColumns(kind, one.sheet.headers) }));
  const found =
    mapped.find(({ mapping }) => missingFields(kind, mapping).length === 0) ??
    mapped.find(({ mapping }) => mapping.some((field) => field !== null));
  return found?.one ?? sheets[0];
}

/** The table as rows of an import, without the template's example row. Headers never become object keys. */
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

/** A date as its ISO day. In a password's cell it counts as not text, because it can be displayed in many formats. */
function cellOf(field: ImportField, cell: SheetCell): Cell {
  if (!(cell instanceof Date)) return cell;
  return field === 'password' ? false : textOfCell(cell);
}

function joinCells(before: Cell, cell: Cell): Cell {
  const parts = [before, cell].filter((part) => part !== null && part !== undefined && part !== '');
  return parts.length === 0 ? null : parts.length === 1 ? (parts[0] ?? null) : parts.join(';');
}

/** The rows under a new mapping, keeping edits and removals made under the old one. */
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
