import { useDebouncedValue } from '@mantine/hooks';
import { type Cell, splitChannelNames } from '@pressel/contract/import-rules';
import { useEffect, useState } from 'react';
import { useApi } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { type ImportField, type ImportKind, type ImportRow, type JudgedRow, judgeRows } from '../import-kinds.ts';
import { type Checked, createImportChecker } from './import-checker.ts';

/** Debounce of judging, ms: it takes 0.1 s for ten thousand rows, too long for each keystroke. */
const JUDGE_DELAY_MS = 120;

export interface Review {
  rows: readonly ImportRow[];
  judged: readonly JudgedRow[];
  check: Checked['state'];
  checkError: unknown;
  /** True while the verdicts don't include the latest edits or a pending check by the server. */
  isStale: boolean;
  edit: (row: number, field: ImportField, text: string) => void;
  /** Sets one field of several rows, by row number. */
  editAll: (field: ImportField, cells: ReadonlyMap<number, Cell>, note?: 'made') => void;
  remove: (row: number) => void;
  undoRemove: (row: ImportRow, index: number) => void;
  retryCheck: () => void;
  near: Checked['near'];
  learnChannels: (names: readonly string[]) => void;
}

/** The rows under review: edits, and verdicts recomputed after each change against the server's data. */
export function useReview(kind: ImportKind, first: readonly ImportRow[], passwordMinLength: number): Review {
  const api = useApi();
  const [rows, setRows] = useState(first);
  const [checker] = useState(() => createImportChecker({ api }));
  const checked = useSnapshot(checker);
  const [settled] = useDebouncedValue(rows, JUDGE_DELAY_MS);
  const judged = judgeAll(kind, settled, checked, passwordMinLength);
  useEffect(() => {
    const { identifiers, channelNames } = namesOf(kind, judged);
    checker.want(identifiers, channelNames);
  }, [kind, judged, checker]);

  return {
    rows,
    judged,
    check: checked.state,
    checkError: checked.error,
    isStale: settled !== rows || checked.state === 'checking',
    edit: (row, field, text) =>
      setRows((known) => known.map((one) => (one.row === row ? { ...one, [field]: text } : one))),
    editAll: (field, cells, note) =>
      setRows((known) =>
        known.map((one) => {
          if (!cells.has(one.row)) return one;
          const cell = cells.get(one.row);
          const noted = note === undefined ? {} : { notes: { ...one.notes, [field]: { note, cell } } };
          return { ...one, [field]: cell, ...noted };
        }),
      ),
    remove: (row) => setRows((known) => known.filter((one) => one.row !== row)),
    undoRemove: (row, index) => setRows((known) => known.toSpliced(index, 0, row)),
    retryCheck: checker.retry,
    near: checked.near,
    learnChannels: checker.learn,
  };
}

function judgeAll(kind: ImportKind, rows: readonly ImportRow[], checked: Checked, passwordMinLength: number) {
  const { identifiers, channelKeys, pendingKeys } = checked;
  // In a users' sheet, channels being queried count as known. In a channels' sheet, known channels are skipped.
  const known = kind === 'users' ? new Set([...channelKeys, ...pendingKeys]) : channelKeys;
  return judgeRows(kind, rows, { identifiers, channelKeys: known, passwordMinLength });
}

/** All logins and channel names of a file, to be checked with the server. */
function namesOf(kind: ImportKind, judged: readonly JudgedRow[]) {
  const identifiers = new Set<string>();
  const channelNames = new Set<string>();
  for (const { cells } of judged) {
    if (kind === 'channels') channelNames.add(cells.name ?? '');
    else {
      identifiers.add(cells.identifier ?? '');
      for (const name of splitChannelNames(cells.canal ?? '')) channelNames.add(name);
    }
  }
  return { identifiers, channelNames };
}
