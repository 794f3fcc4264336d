import type { UserId } from '@pressel/contract/ids';
import type { getImport, listImports } from '@pressel/contract/transfer';
import type * as z from 'zod';
import { AppError } from '#src/shared/app-error.ts';

/** How long the outcome of an import is kept after its end, for clients that lost the answer. */
const KEPT_MS = 3_600_000;
/** Rows kept over all outcomes; ten thousand take 1 to 2 MB. Enough that small imports don't evict each other. */
const KEPT_ROWS = 500_000;
/** Fixed memory cost of an import, expressed in rows. */
const RUN_COST_IN_ROWS = 50;
/** Minimum interval between progress events. */
const TELL_EVERY_MS = 200;

export type ImportState = z.output<(typeof getImport)['reply']>['res'];
/** An import in the list of its owner's. */
export type ImportEntry = z.output<(typeof listImports)['reply']>['res'][number];
type EndState = Exclude<ImportState, { state: 'running' }>;

/** A running import, as seen by the function that does the work. */
export interface ImportRun {
  /** Aborts when the import is cancelled or the server stops; the reason is the AppError to answer. */
  readonly signal: AbortSignal;
  progress(done: number, total: number): void;
  /** Marks the import as no longer cancellable. @throws AppError when it was cancelled before */
  beginStoring(): void;
}

/** Running and recently ended imports. Asynchronous, so that a shared store can hold them with several processes. */
export interface ImportRuns {
  /**
   * Runs `work` as an import of this user. If an import of that id and kind runs or has stored its rows, its outcome is the
   * answer: whoever lost the first answer may send it again [IMP35].
   * @throws AppError import_running when the user has another one running
   */
  run<S extends EndState>(
    owner: UserId,
    what: Pick<ImportEntry, 'importId' | 'kind'>,
    work: (run: ImportRun) => Promise<S>,
  ): Promise<S>;
  /** Those of this user that are known, the newest first. */
  list(owner: UserId): Promise<ImportEntry[]>;
  /** Progress or outcome; null when this user has no such import. */
  find(owner: UserId, id: string): Promise<ImportState | null>;
  /** @returns true when nothing of it is or will be stored; null when this user has no such import */
  cancel(owner: UserId, id: string): Promise<boolean | null>;
  /** How many run in this process. */
  running(): number;
  /** Cancels imports that are not yet being stored, waits for the others, refuses new ones. */
  close(): Promise<void>;
}

interface Entry extends Pick<ImportEntry, 'importId' | 'kind'> {
  owner: UserId;
  startedAt: number;
  state: ImportState;
  endedAt: number;
  isStoring: boolean;
  stop: AbortController;
  /** How it ends; rejects when nothing is stored. */
  result: Promise<EndState>;
}

export interface ImportRunsDeps {
  now(): Date;
  /** A monotonic clock, ms. */
  steadyNow(): number;
  tellProgress(owner: UserId, news: { importId: string; done: number; total: number }): void;
}

export function createImportRuns({ now, steadyNow, tellProgress }: ImportRunsDeps): ImportRuns {
  const entries = new Map<string, Entry>();
  const running = new Map<UserId, Entry>();
  let isClosed = false;
  const keyOf = (owner: UserId, id: string) => `${owner} ${id}`;

  const forgetOld = (): void => {
    let kept = 0;
    // Newest first, so that the oldest are evicted.
    for (const [key, entry] of [...entries].reverse()) {
      if (entry.state.state === 'running') continue;
      kept += rowsOf(entry.state);
      if (kept > KEPT_ROWS || now().getTime() - entry.endedAt > KEPT_MS) entries.delete(key);
    }
  };

  const progressOf = (entry: Entry, importId: string): ImportRun['progress'] => {
    let toldAt = Number.NEGATIVE_INFINITY;
    return (done, total) => {
      // Hashes that were in progress when the import was cancelled still report their end.
      if (entry.stop.signal.aborted) return;
      entry.state = { state: 'running', done, total };
      if (done < total && steadyNow() - toldAt < TELL_EVERY_MS) return;
      toldAt = steadyNow();
      tellProgress(entry.owner, { importId, done, total });
    };
  };

  return {
    async run<S extends EndState>(
      owner: UserId,
      { importId: id, kind }: Pick<ImportEntry, 'importId' | 'kind'>,
      work: (run: ImportRun) => Promise<S>,
    ): Promise<S> {
      if (isClosed) throw new AppError('unavailable');
      forgetOld();
      const known = entries.get(keyOf(owner, id));
      // Imports of one kind end alike.
      if (known?.kind === kind && isDoneOnce(known.state)) return (await known.result) as S;
      if (running.has(owner)) throw new AppError('import_running');

      const { promise: result, resolve, reject } = Promise.withResolvers<S>();
      const entry: Entry = {
        owner,
        importId: id,
        kind,
        state: { state: 'running', done: 0, total: 0 },
        startedAt: now().getTime(),
        endedAt: 0,
        isStoring: false,
        stop: new AbortController(),
        result,
      };
      running.set(owner, entry);
      // Deleted first, so that the map is ordered by start.
      entries.delete(keyOf(owner, id));
      entries.set(keyOf(owner, id), entry);
      const { signal } = entry.stop;
      try {
        const end = await work({
          signal,
          progress: progressOf(entry, id),
          beginStoring: () => {
            signal.throwIfAborted();
            entry.isStoring = true;
          },
        });
        entry.state = end;
        resolve(end);
      } catch (error) {
        entry.state = { state: signal.aborted ? 'cancelled' : 'failed' };
        reject(error);
      } finally {
        entry.endedAt = now().getTime();
        running.delete(owner);
        forgetOld();
      }
      return await result;
    },

    async list(owner) {
      forgetOld();
      const own = [...entries.values()].filter((entry) => entry.owner === owner).reverse();
      return own.map(({ importId, kind, state, startedAt, endedAt }): ImportEntry => {
        const isRunning = state.state === 'running';
        return {
          importId,
          kind,
          state: isRunning ? 'running' : 'ended',
          startedAt: new Date(startedAt).toISOString(),
          endedAt: isRunning ? null : new Date(endedAt).toISOString(),
        };
      });
    },

    async find(owner, id) {
      forgetOld();
      return entries.get(keyOf(owner, id))?.state ?? null;
    },

    async cancel(owner, id) {
      const entry = entries.get(keyOf(owner, id));
      if (entry === undefined) return null;
      if (entry.state.state === 'running' && !entry.isStoring) entry.stop.abort(new AppError('import_cancelled'));
      return entry.stop.signal.aborted || entry.state.state === 'failed';
    },

    running: () => running.size,

    async close() {
      isClosed = true;
      const open = [...running.values()];
      for (const entry of open) if (!entry.isStoring) entry.stop.abort(new AppError('unavailable'));
      await Promise.allSettled(open.map((entry) => entry.result));
    },
  };
}

/** Runs, or has stored its rows. One that was cancelled or failed stored nothing, and may be sent again. */
const isDoneOnce = (state: ImportState): boolean => state.state === 'running' || 'outcome' in state;

function rowsOf(state: ImportState): number {
  if (!('outcome' in state)) return RUN_COST_IN_ROWS;
  const { created, existing, rejected, repeated } = state.outcome;
  return RUN_COST_IN_ROWS + created.length + existing.length + rejected.length + repeated.length;
}
