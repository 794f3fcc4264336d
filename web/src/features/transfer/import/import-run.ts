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
import type { ImportKind, ImportRow } from '../import-kinds.ts';

/** Time limit of the call, which answers when all is stored: hashing ten thousand passwords takes minutes. */
const IMPORT_TIMEOUT_MS = 1_800_000;
export const POLL_MS = 2_000;

export type ImportOutcome = UserImportOutcome | ChannelImportOutcome;

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
  realtime: Pick<Realtime, 'on'>;
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
    progressed(progress);
  });

  const poll = async (): Promise<void> => {
    if (isAnswerLost || Date.now() - lastNewsAt >= POLL_MS) await ask();
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
