import type { CallReply } from '@pressel/contract/call';
import {
  type ChannelImportOutcome,
  cancelImport,
  createMultipleChannels,
  createMultipleUsers,
  getImport,
  type UserImportOutcome,
} from '@pressel/contract/transfer';
import type { Api } from '#src/shared/api/api.ts';
import { errorCodeOf, isUnreachable } from '#src/shared/api/api-error.ts';
import { createListeners } from '#src/shared/listeners.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { SnapshotSource } from '#src/shared/use-snapshot.ts';
import { type ImportKind, type ImportRow, type JudgedRow, rowName, rowShown } from '../sheet/import-kinds.ts';
import type { Sent } from './import-source.ts';

/** Time limit of the call, which answers when all is stored: hashing ten thousand passwords takes minutes. */
const IMPORT_TIMEOUT_MS = 1_800_000;
export const POLL_MS = 2_000;

type ImportOutcome = UserImportOutcome | ChannelImportOutcome;

export type RunEnd =
  | { end: 'stored'; outcome: ImportOutcome }
  | { end: 'cancelled' }
  /** Nothing was stored; `error` is the reason. */
  | { end: 'failed'; error: unknown }
  /** The server has no record of it (restarted, or never received it): nothing was stored. */
  | { end: 'forgotten' }
  /** Resumed, but the server has no record of it: never received, or ended long ago. */
  | { end: 'unknown' };

export type RunState =
  /** `total` is 0 until the server reports it. `isLost`: the server is unreachable at the moment. */
  | {
      state: 'running';
      done: number;
      total: number;
      /** Estimated from the progress so far, ms; undefined until there is enough of it. */
      msLeft?: number;
      isLost: boolean;
      cancel: 'no' | 'asked' | 'too_late';
    }
  | { state: 'ended'; end: RunEnd };

export interface ImportRun extends SnapshotSource<RunState> {
  cancel(): Promise<void>;
  /** Stops following. The import continues on the server. */
  close(): void;
}

export interface FollowDeps {
  api: Pick<Api, 'call'>;
  realtime: Pick<Realtime, 'on' | 'onLink'>;
  importId: string;
}

export interface ImportRunDeps extends FollowDeps {
  kind: ImportKind;
  rows: readonly ImportRow[];
  /** Whether rows that say so become administrators. */
  withAdmins: boolean;
}

/** Sends an import and follows it to its end, even if the connection is lost meanwhile. */
export const startImport = (deps: ImportRunDeps): ImportRun => follow(deps, () => sendRows(deps));

/** Follows an import that was sent before this page was opened. */
export const resumeImport = (deps: FollowDeps): ImportRun => follow(deps, undefined);

/** `send` resolves with the call's answer; without it only polling tells how the import ends. */
function follow({ api, realtime, importId }: FollowDeps, send: (() => Promise<ImportOutcome>) | undefined): ImportRun {
  const listeners = createListeners<void>();
  let snapshot: RunState = { state: 'running', done: 0, total: 0, isLost: false, cancel: 'no' };
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastNewsAt = Date.now();
  /** The answer to the call was lost, so only polling can tell how it ended. */
  let isAnswerLost = send === undefined;
  /** The server has known the import at some time. */
  let isKnown = send !== undefined;
  let timesUnknown = 0;
  let isClosed = false;
  /** News of this import has come, or may have been missed. Until then the server doesn't have it: it tells when it begins. */
  let isBegun = send === undefined;

  const change = (part: Partial<Extract<RunState, { state: 'running' }>>): void => {
    if (snapshot.state !== 'running') return;
    snapshot = { ...snapshot, ...part };
    listeners.notify();
  };
  let firstNews: { at: number; done: number } | undefined;
  const progressed = ({ done, total }: { done: number; total: number }): void => {
    const now = Date.now();
    firstNews ??= { at: now, done };
    const { at, done: before } = firstNews;
    const isKnown = done > before && now > at;
    change({
      done,
      total,
      isLost: false,
      ...(isKnown ? { msLeft: ((now - at) / (done - before)) * (total - done) } : {}),
    });
  };
  const finish = (end: RunEnd): void => {
    if (snapshot.state === 'ended') return;
    snapshot = { state: 'ended', end };
    close();
    listeners.notify();
  };

  const stopHearing = realtime.on('import_progress', (progress) => {
    if (progress.importId !== importId) return;
    lastNewsAt = Date.now();
    isKnown = true;
    isBegun = true;
    progressed(progress);
  });
  const stopWatching = realtime.onLink((link) => {
    if (link !== 'up') isBegun = true;
  });

  const poll = async (): Promise<void> => {
    if (isAnswerLost || (isBegun && Date.now() - lastNewsAt >= POLL_MS)) await ask();
    if (!isClosed) timer = setTimeout(poll, POLL_MS);
  };
  const ask = async (): Promise<void> => {
    try {
      const { res } = await api.call(getImport, { importId });
      timesUnknown = 0;
      isKnown = true;
      take(res);
    } catch (error) {
      const isUnknown = errorCodeOf(error) === 'not_found';
      change({ isLost: isUnreachable(error) });
      // Two polls must fail: the body of a broken call may still be in transit through a proxy.
      if (isUnknown) timesUnknown += 1;
      if (isAnswerLost && timesUnknown > 1) finish({ end: isKnown ? 'forgotten' : 'unknown' });
    }
  };
  const take = (res: CallReply<typeof getImport>['res']): void => {
    switch (res.state) {
      case 'running':
        progressed(res);
        break;
      case 'cancelled':
        finish({ end: 'cancelled' });
        break;
      case 'failed':
        finish({ end: 'failed', error: undefined });
        break;
      case 'users':
      case 'channels':
        finish({ end: 'stored', outcome: res.outcome });
        break;
      default:
        res satisfies never;
    }
  };

  const hear = async (answer: Promise<ImportOutcome>): Promise<void> => {
    try {
      finish({ end: 'stored', outcome: await answer });
    } catch (error) {
      const code = errorCodeOf(error);
      if (code === 'import_cancelled') finish({ end: 'cancelled' });
      else if (!isUnreachable(error) && code !== 'internal') finish({ end: 'failed', error });
      else {
        // An unreachable server doesn't mean failure: it may be storing the import.
        isAnswerLost = true;
        change({ isLost: true });
      }
    }
  };

  function close(): void {
    isClosed = true;
    clearTimeout(timer);
    stopHearing();
    stopWatching();
  }

  if (send === undefined) void poll();
  else {
    void hear(send());
    timer = setTimeout(poll, POLL_MS);
  }

  return {
    getSnapshot: () => snapshot,
    subscribe: (listener) => listeners.add(() => listener()),
    async cancel() {
      change({ cancel: 'asked' });
      try {
        const { cancelled } = await api.call(cancelImport, { importId });
        change({ cancel: cancelled ? 'asked' : 'too_late' });
      } catch {
        // Unreachable, or the import isn't known yet: the user may retry.
        change({ cancel: 'no' });
      }
    },
    close,
  };
}

async function sendRows({ api, kind, rows, withAdmins, importId }: ImportRunDeps): Promise<ImportOutcome> {
  const options = { timeoutMs: IMPORT_TIMEOUT_MS };
  if (kind === 'users') {
    const reply = await api.call(
      createMultipleUsers,
      { userData: rows.map(({ notes: _, ...row }) => row), withAdmins, importId },
      options,
    );
    return {
      created: reply.createdUsers,
      existing: reply.existingUsers,
      rejected: reply.rejectedUsers,
      repeated: reply.repeatedUsers,
    };
  }
  const channelData = rows.map(({ row, name }) => ({ row, name }));
  const reply = await api.call(createMultipleChannels, { channelData, importId }, options);
  return {
    created: reply.channelsCreated,
    existing: reply.existingChannels,
    rejected: reply.rejectedChannels,
    repeated: reply.repeatedChannels,
  };
}

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
