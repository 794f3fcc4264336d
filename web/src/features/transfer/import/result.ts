import { type ImportKind, type ImportRow, type JudgedRow, rowName, rowShown } from '../import-kinds.ts';
import type { ImportOutcome } from './import-run.ts';
import type { Sent } from './import-source.ts';

export interface NamedRow {
  row: number;
  name: string;
}

export interface RejectedRow extends NamedRow {
  cells: JudgedRow['cells'];
  faults: JudgedRow['faults'];
}

/** The outcome of every row of the file, in its order. */
export interface ImportResult {
  rejected: readonly RejectedRow[];
  existing: readonly NamedRow[];
  repeated: readonly NamedRow[];
  created: readonly NamedRow[];
}

/** The cells of accounts that were created with a password that was generated here. */
export function madeOf(judged: readonly JudgedRow[], outcome: ImportOutcome): JudgedRow['cells'][] {
  const created = new Set(outcome.created.map(({ row }) => row));
  return judged.filter(({ row, notes }) => notes?.password === 'made' && created.has(row)).map(({ cells }) => cells);
}

/** The rows to send: those that are good. */
export function rowsToSend(rows: readonly ImportRow[], judged: readonly JudgedRow[]): ImportRow[] {
  const good = new Set(judged.filter(({ state }) => state === 'good').map(({ row }) => row));
  return rows.filter(({ row }) => good.has(row));
}

/** Whether the same rows are sent again: then it is the same import (IMP35). */
export function isSentAgain(sent: Sent | undefined, rows: readonly ImportRow[], judged: readonly JudgedRow[]): boolean {
  if (sent?.rows !== rows) return false;
  const numbers = (of: readonly JudgedRow[]) => rowsToSend(rows, of).map(({ row }) => row);
  return numbers(sent.judged).join() === numbers(judged).join();
}

/** Combines the server's outcome for the rows sent with the review's verdicts on the others. */
export function resultOf(kind: ImportKind, judged: readonly JudgedRow[], outcome: ImportOutcome): ImportResult {
  const known = new Map(judged.map((one) => [one.row, one]));
  const left = (state: JudgedRow['state']) => judged.filter((one) => one.state === state);
  const named = ({ row, cells }: JudgedRow): NamedRow => ({ row, name: rowName(cells) });
  const inOrder = <T extends NamedRow>(rows: T[]): T[] =>
    rows.sort((one, other) => rowShown(one.row) - rowShown(other.row));
  const created = outcome.created.map((one) => {
    const cells = known.get(one.row)?.cells ?? {};
    return { row: one.row, name: rowName(cells) || ('identifier' in one ? one.identifier : one.name) };
  });
  return {
    rejected: inOrder([
      ...left('rejected').map((one) => ({ ...named(one), cells: one.cells, faults: one.faults })),
      ...outcome.rejected.map(({ row, name, faults }) => {
        const fallback = kind === 'users' ? { identifier: name } : { name };
        return { row, name, faults, cells: known.get(row)?.cells ?? fallback };
      }),
    ]),
    existing: inOrder([...left('existing').map(named), ...outcome.existing]),
    repeated: inOrder([...left('repeated').map(named), ...outcome.repeated]),
    created: inOrder(created),
  };
}
