import { useDebouncedValue } from '@mantine/hooks';
import { type Cell, splitChannelNames } from '@pressel/contract/import-rules';
import { IMPORT_MAX_ROWS } from '@pressel/contract/limits';
import { roomKey } from '@pressel/contract/text';
import { checkImport } from '@pressel/contract/transfer';
import { useEffect, useState } from 'react';
import type { Api } from '#src/shared/api/api.ts';
import { createListeners } from '#src/shared/listeners.ts';
import { useApi } from '#src/shared/services.tsx';
import { type SnapshotSource, useSnapshot } from '#src/shared/use-snapshot.ts';
import { type ImportField, type ImportKind, type ImportRow, type JudgedRow, judgeRows } from '../sheet/import-kinds.ts';

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

/** Debounce before the server is queried, while typing. */
const CHECK_DELAY_MS = 300;
/** The call's maximum length; longer names can't exist. */
const VALUE_MAX_LENGTH = 400;

/** The file's logins and channels that exist on the server. */
interface Checked {
  state: 'checking' | 'checked' | 'failed';
  /** Existing logins, in lower case. */
  identifiers: ReadonlySet<string>;
  /** Room keys of existing channels. */
  channelKeys: ReadonlySet<string>;
  /** Room keys being queried. They are not reported as unknown until the answer. */
  pendingKeys: ReadonlySet<string>;
  /** Room keys of unknown channels → existing channels with nearly the same name, the nearest first. */
  near: ReadonlyMap<string, readonly string[]>;
  error?: unknown;
}

interface ImportChecker extends SnapshotSource<Checked> {
  /** Queries the values not queried yet: the first time at once, later debounced. */
  want(identifiers: Iterable<string>, channelNames: Iterable<string>): void;
  /** Says that channels of these names exist now. */
  learn(channelNames: Iterable<string>): void;
  retry(): void;
  close(): void;
}

/** Queries the server for existing logins and channels, each value once. */
function createImportChecker({ api }: { api: Pick<Api, 'call'> }): ImportChecker {
  const listeners = createListeners<void>();
  const aborter = new AbortController();
  const asked = new Set<string>();
  const identifiers = new Set<string>();
  const channelKeys = new Set<string>();
  const near = new Map<string, readonly string[]>();
  /** Lower-case login or room key → as it was written. */
  const wantedLogins = new Map<string, string>();
  const wantedChannels = new Map<string, string>();
  let isAsking = false;
  let isFirst = true;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let snapshot: Checked = {
    state: 'checking',
    identifiers: new Set(),
    channelKeys: new Set(),
    pendingKeys: new Set(),
    near: new Map(),
  };

  const show = (state: Checked['state'], error?: unknown): void => {
    const pendingKeys = new Set(wantedChannels.keys());
    snapshot = {
      state,
      identifiers: new Set(identifiers),
      channelKeys: new Set(channelKeys),
      pendingKeys,
      near: new Map(near),
      error,
    };
    listeners.notify();
  };

  const ask = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    try {
      while (wantedLogins.size + wantedChannels.size > 0) {
        const logins = [...wantedLogins].slice(0, IMPORT_MAX_ROWS);
        const channels = [...wantedChannels].slice(0, IMPORT_MAX_ROWS);
        const found = await api.call(
          checkImport,
          { identifiers: logins.map(([, login]) => login), channelNames: channels.map(([, name]) => name) },
          { signal: aborter.signal, timeoutMs: 60_000 },
        );
        for (const login of found.identifiers) identifiers.add(login.toLowerCase());
        for (const name of found.channelNames) channelKeys.add(roomKey(name));
        for (const one of found.near) near.set(roomKey(one.name), one.near);
        for (const [key] of logins) wantedLogins.delete(key);
        for (const [key] of channels) wantedChannels.delete(key);
      }
      show('checked');
    } catch (error) {
      if (!aborter.signal.aborted) show('failed', error);
    } finally {
      isAsking = false;
    }
  };

  const wantOne = (kind: string, key: string, value: string, wanted: Map<string, string>): boolean => {
    const name = `${kind}${key}`;
    if (key === '' || value.length > VALUE_MAX_LENGTH || asked.has(name)) return false;
    asked.add(name);
    wanted.set(key, value);
    return true;
  };

  return {
    getSnapshot: () => snapshot,
    subscribe: (listener) => listeners.add(() => listener()),
    want(logins, channelNames) {
      let isNew = isFirst;
      for (const login of logins) isNew = wantOne('login ', login.toLowerCase(), login, wantedLogins) || isNew;
      for (const name of channelNames) isNew = wantOne('channel ', roomKey(name), name, wantedChannels) || isNew;
      if (!isNew) return;
      show('checking');
      clearTimeout(timer);
      timer = setTimeout(ask, isFirst ? 0 : CHECK_DELAY_MS);
      isFirst = false;
    },
    learn(channelNames) {
      for (const name of channelNames) channelKeys.add(roomKey(name));
      show(snapshot.state);
    },
    retry() {
      show('checking');
      void ask();
    },
    close() {
      clearTimeout(timer);
      aborter.abort();
    },
  };
}
