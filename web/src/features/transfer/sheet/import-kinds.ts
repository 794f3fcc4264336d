import { type Cell, cellText, judgeChannelRows, judgeUserRows, type KnownUsers } from '@pressel/contract/import-rules';
import {
  ALL_USER_FIELDS,
  MORE_USER_FIELDS,
  type RowFault,
  USER_FIELDS,
  type UserField,
} from '@pressel/contract/transfer';
import type { ImportKind } from '#src/shared/storage.ts';

export type { ImportKind };
export type ImportField = UserField | 'name';

/** The columns that each import expects, in the sheet's order. */
export const FIELDS: Record<ImportKind, readonly ImportField[]> = { users: USER_FIELDS, channels: ['name'] };

/** The columns that each import can take. */
export const ALL_FIELDS: Record<ImportKind, readonly ImportField[]> = { users: ALL_USER_FIELDS, channels: ['name'] };

/** The columns without which there is nothing to import. The others can be filled in for all rows. */
export const KEY_FIELDS: Record<ImportKind, readonly ImportField[]> = {
  users: ['firstName', 'lastName', 'identifier'],
  channels: ['name'],
};

/** The columns to show of rows: the expected ones, or all if any other is there. */
export const fieldsShown = (kind: ImportKind, mapping: readonly (ImportField | null)[]): readonly ImportField[] =>
  MORE_USER_FIELDS.some((field) => mapping.includes(field)) ? ALL_FIELDS[kind] : FIELDS[kind];

/** Whether a field holds channels' names: a cell may have several of them, and they may be in several columns. */
export const isList = (field: ImportField): boolean => field === 'canal' || field === 'name';

/** The way in which a cell was read. Once the cell has another value, this no longer matters. */
export interface CellNote {
  /**
   * 'shown': as the number's format shows it. 'merged': from the cell above, with which it is merged. 'made': a
   * password that was generated here.
   */
  note: 'shown' | 'merged' | 'made';
  cell: Cell;
}

/** A row to import, with its cells as read or edited. */
export interface ImportRow extends Partial<Record<ImportField, Cell>> {
  row: number;
  notes?: Partial<Record<ImportField, CellNote>>;
}

/**
 * The distance between the numbers of import rows that come from one row of the file, whose cell names several
 * channels. More than any spreadsheet has rows.
 */
export const PART_OF_ROW = 2_000_000;

/** A row's number as the file shows it. */
export const rowShown = (row: number): number => row % PART_OF_ROW;

export const VERDICTS = ['rejected', 'existing', 'repeated', 'good'] as const;
export type VerdictState = (typeof VERDICTS)[number];

export interface JudgedRow {
  row: number;
  cells: Readonly<Partial<Record<ImportField, string>>>;
  state: VerdictState;
  /** Empty unless rejected. */
  faults: readonly RowFault[];
  /**
   * The ways in which cells were read that still have the value they were read with. Also marks passwords with spaces
   * around them.
   */
  notes?: Partial<Record<ImportField, CellNote['note'] | 'spaces'>> | undefined;
}

/** Judges every row by the same rules as the server. */
export function judgeRows(kind: ImportKind, rows: readonly ImportRow[], known: KnownUsers): JudgedRow[] {
  const judged = kind === 'users' ? judgeUserRows(rows, known) : judgeChannelRows(rows, known);
  return judged.map(({ row, cells, verdict }, index) => {
    const notes = notesOf(rows[index]);
    return {
      row,
      cells,
      state: verdict.state,
      faults: verdict.state === 'rejected' ? verdict.faults : NONE,
      ...(notes === undefined ? {} : { notes }),
    };
  });
}

function notesOf(row: ImportRow | undefined): JudgedRow['notes'] {
  if (row === undefined) return undefined;
  const found: NonNullable<JudgedRow['notes']> = {};
  for (const [field, note] of Object.entries(row.notes ?? {}) as [ImportField, CellNote][])
    if (row[field] === note.cell) found[field] = note.note;
  if (hasSpacesAround(row.password)) found.password = 'spaces';
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Whether a password begins or ends with white space, which nobody sees. */
export const hasSpacesAround = (cell: Cell): cell is string => typeof cell === 'string' && cell !== cellText(cell);

const NONE: readonly RowFault[] = [];

/** A row's name for messages: its login, else the user's or channel's name. */
export function rowName(cells: JudgedRow['cells']): string {
  const { identifier, firstName, lastName, name } = cells;
  return identifier || [firstName, lastName].filter(Boolean).join(' ') || name || '';
}

/** The page of each import. */
export const IMPORT_PATHS = { users: '/usersList/import', channels: '/channelsList/import' } as const;
