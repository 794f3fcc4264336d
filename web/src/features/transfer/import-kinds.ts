import { type Cell, judgeChannelRows, judgeUserRows } from '@pressel/contract/import-rules';
import { type RowFault, USER_FIELDS, type UserField } from '@pressel/contract/transfer';

export type ImportKind = 'users' | 'channels';
export type ImportField = UserField | 'name';

/** The columns of each import, in the sheet's order. */
export const FIELDS: Record<ImportKind, readonly ImportField[]> = { users: USER_FIELDS, channels: ['name'] };

/** A row to import, with its cells as read or edited. */
export interface ImportRow extends Partial<Record<ImportField, Cell>> {
  row: number;
}

export const VERDICTS = ['rejected', 'existing', 'repeated', 'good'] as const;
export type VerdictState = (typeof VERDICTS)[number];

export interface JudgedRow {
  row: number;
  cells: Readonly<Partial<Record<ImportField, string>>>;
  state: VerdictState;
  /** Empty unless rejected. */
  faults: readonly RowFault[];
}

/** What exists on the server, as far as it was queried. */
export interface Known {
  /** In lower case. */
  identifiers: ReadonlySet<string>;
  /** Room keys. */
  channelKeys: ReadonlySet<string>;
  passwordMinLength: number;
}

/** Judges every row by the same rules as the server. */
export function judgeRows(kind: ImportKind, rows: readonly ImportRow[], known: Known): JudgedRow[] {
  const judged = kind === 'users' ? judgeUserRows(rows, known) : judgeChannelRows(rows, known);
  return judged.map(({ row, cells, verdict }) => ({
    row,
    cells,
    state: verdict.state,
    faults: verdict.state === 'rejected' ? verdict.faults : NONE,
  }));
}

const NONE: readonly RowFault[] = [];

/** A row's name for messages: its login, else the user's or channel's name. */
export function rowName(cells: JudgedRow['cells']): string {
  const { identifier, firstName, lastName, name } = cells;
  return identifier || [firstName, lastName].filter(Boolean).join(' ') || name || '';
}
