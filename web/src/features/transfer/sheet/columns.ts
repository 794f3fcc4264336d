import { type Cell, cellText, splitChannelNames } from '@pressel/contract/import-rules';
import { fieldOfHeader } from './header-words.ts';
import {
  FIELDS,
  type ImportField,
  type ImportKind,
  type ImportRow,
  isList,
  KEY_FIELDS,
  PART_OF_ROW,
} from './import-kinds.ts';
import { isNoted, type NamedSheet, type NotedCell, type Sheet, type SheetCell, textOfCell } from './sheet.ts';

/** For each column of the sheet, its field; null ignores the column. */
export type ColumnMapping = readonly (ImportField | null)[];

/** Maps headers to fields automatically. Each field gets one column, except lists of channels, which may have several. */
export function matchColumns(kind: ImportKind, headers: readonly string[]): ColumnMapping {
  const taken = new Set<ImportField>();
  return headers.map((header) => {
    const field = fieldOfHeader(kind, header);
    if (field === null || (!isList(field) && taken.has(field))) return null;
    taken.add(field);
    return field;
  });
}

/** The required fields without a column. */
export const missingFields = (kind: ImportKind, mapping: ColumnMapping): ImportField[] =>
  KEY_FIELDS[kind].filter((field) => !mapping.includes(field));

/** The other expected fields without a column, which can be filled in for all rows. */
export const lackingFields = (kind: ImportKind, mapping: ColumnMapping): ImportField[] =>
  FIELDS[kind].filter((field) => field !== 'canal' && !mapping.includes(field) && !KEY_FIELDS[kind].includes(field));

/** Whether the user has to assign columns: a required one is missing, or an expected one is while a title isn't understood. */
export const isUnclear = (kind: ImportKind, { headers }: Sheet, mapping: ColumnMapping): boolean =>
  missingFields(kind, mapping).length > 0 ||
  (lackingFields(kind, mapping).length > 0 &&
    headers.some((header, column) => header !== '' && (mapping[column] ?? null) === null));

/**
 * Returns the sheet to preselect: the first with a fully recognised header, else partly recognised, else the first.
 * Hidden sheets come last.
 */
export function bestSheet(kind: ImportKind, sheets: readonly NamedSheet[]): NamedSheet | undefined {
  const visible = sheets.filter(({ isHidden }) => isHidden !== true);
  const mapped = [...visible, ...sheets].map((one) => ({ one, mapping: matchColumns(kind, one.sheet.headers) }));
  const isUseful = ({ mapping }: (typeof mapped)[number]) => mapping.some((field) => field !== null);
  const found =
    mapped.find(({ one, mapping }) => one.isHidden !== true && missingFields(kind, mapping).length === 0) ??
    mapped.find(isUseful);
  return found?.one ?? mapped[0]?.one;
}

/** Values in columns without a title, which no field takes. They come from a name with an unquoted separator. */
export interface Stray {
  /** The indices of the columns. */
  columns: readonly number[];
  /** The first of them; `count`: the number of rows that have any. */
  samples: readonly { row: number; text: string }[];
  count: number;
}

/** Samples of stray values that are shown. */
const STRAY_SHOWN = 3;

/** Returns what the sheet has beyond its titles; undefined when there is nothing, or no titles at all. */
export function strayOf({ headers, rows }: Sheet, mapping: ColumnMapping): Stray | undefined {
  if (headers.every((header) => header === '')) return undefined;
  const open = headers.flatMap((header, column) => (header === '' && mapping[column] === null ? [column] : []));
  const textOf = (cells: readonly SheetCell[], column: number) => textOfCell(cells[column] ?? null).trim();
  const columns = open.filter((column) => rows.some(({ cells }) => textOf(cells, column) !== ''));
  if (columns.length === 0) return undefined;
  const found = rows.filter(({ cells }) => columns.some((column) => textOf(cells, column) !== ''));
  const samples = found.slice(0, STRAY_SHOWN).map(({ row, cells }) => ({
    row,
    text: columns.flatMap((column) => textOf(cells, column) || []).join(' ; '),
  }));
  return { columns, samples, count: found.length };
}

/** The table as rows of an import, without the template's example row. Headers never become object keys. */
export function rowsOf(sheet: Sheet, mapping: ColumnMapping): ImportRow[] {
  const read = sheet.rows.flatMap(({ row, cells }) => {
    const read: ImportRow = { row };
    for (const [column, field] of mapping.entries()) {
      const cell = cells[column] ?? null;
      if (field !== null) take(read, field, cell);
    }
    return mapping.includes('name') ? splitNames(read) : [read];
  });
  return read.filter((row) => !isModelExample(row));
}

function take(row: ImportRow, field: ImportField, cell: SheetCell): void {
  const read = cellOf(field, isNoted(cell) ? plainOf(field, cell) : cell);
  row[field] = isList(field) ? joinCells(row[field], read) : read;
  const isShown = isNoted(cell) && read !== '' && !(field === 'mapRight' && cell.note === 'shown');
  if (isShown) row.notes = { ...row.notes, [field]: { note: cell.note, cell: row[field] } };
}

/** A map right may be a 1 that is shown as 100 %. */
const plainOf = (field: ImportField, cell: NotedCell): SheetCell =>
  field === 'mapRight' && cell.note === 'shown' ? cell.number : cell.value;

/** Splits a cell of channels' names, with semicolons between them (spec §9), into a row for each. */
function splitNames(row: ImportRow): ImportRow[] {
  const names = splitChannelNames(cellText(row.name));
  if (names.length < 2) return [names[0] === undefined ? row : { ...row, name: names[0] }];
  return names.map((name, index) => ({ row: row.row + index * PART_OF_ROW, name }));
}

/** Returns a date as its ISO day. In a password's cell a date counts as not text, because it can be displayed in many formats. */
function cellOf(field: ImportField, cell: SheetCell): Cell {
  if (cell instanceof Date) return field === 'password' ? false : textOfCell(cell);
  return isNoted(cell) ? textOfCell(cell) : cell;
}

function joinCells(before: Cell, cell: Cell): Cell {
  const parts = [before, cell].filter((part) => part !== null && part !== undefined && part !== '');
  return parts.length === 0 ? null : parts.length === 1 ? (parts[0] ?? null) : parts.join(';');
}

/**
 * Returns the rows of another mapping or reading, with the edits and removals made under the first one. A row is the
 * same if it has the same number.
 */
export function keepEdits(
  before: { sheet: Sheet; mapping: ColumnMapping },
  edited: readonly ImportRow[],
  next: { sheet: Sheet; mapping: ColumnMapping },
): ImportRow[] {
  const original = new Map(rowsOf(before.sheet, before.mapping).map((row) => [row.row, row]));
  const kept = new Map(edited.map((row) => [row.row, row]));
  return rowsOf(next.sheet, next.mapping).flatMap((fresh) => {
    const known = original.get(fresh.row);
    const row = kept.get(fresh.row);
    if (row === undefined) return known === undefined ? [fresh] : [];
    const typed = Object.entries(row).filter(
      ([field, cell]) => field !== 'notes' && cell !== known?.[field as ImportField],
    );
    return [{ ...fresh, ...Object.fromEntries(typed) }];
  });
}

/** The most columns of a list of channels: the name, and a note or two. */
const CHANNEL_COLUMNS_MAX = 3;

/** Returns the kind that a sheet's titles suggest, if it differs from the chosen one. */
export function otherKindOf(kind: ImportKind, { headers }: Sheet): ImportKind | undefined {
  const users = matchColumns('users', headers);
  if (kind === 'channels') {
    const isUsers = users.includes('identifier') && (users.includes('firstName') || users.includes('password'));
    return isUsers ? 'users' : undefined;
  }
  const isChannels = missingFields('channels', matchColumns('channels', headers)).length === 0;
  const hasPeople = users.includes('identifier') || users.includes('firstName');
  return isChannels && !hasPeople && headers.length <= CHANNEL_COLUMNS_MAX ? 'channels' : undefined;
}

/** Login → password of the template's example row in each language, as in the locale files. */
const EXAMPLES: ReadonlyMap<string, string> = new Map([
  ['camille.durand@example.org', 'secret12'],
  ['robin.taylor@example.org', 'secret12'],
  ['robin.weber@example.org', 'geheim12'],
]);

/** Whether a row is the template's example, which is not imported. */
export function isModelExample({ identifier, password }: ImportRow): boolean {
  const known = EXAMPLES.get(cellText(identifier).toLowerCase());
  return known !== undefined && known === cellText(password);
}
