import { BULK_MAX } from '@pressel/contract/limits';
import { createListeners } from '../listeners.ts';
import type { SnapshotSource } from '../use-snapshot.ts';

/** The outcome of one row, as the server reports it. */
export interface RowOutcome {
  id: string;
  outcome: 'done' | 'not_found' | 'last_admin';
}
/** A row that the change was not made to. */
export interface LeftOut {
  id: string;
  reason: Exclude<RowOutcome['outcome'], 'done'>;
}

interface Tally {
  total: number;
  /** The number of rows that the server has answered for. */
  tried: number;
  done: number;
  leftOut: readonly LeftOut[];
}
/**
 * `stopping`: waits for the part that is under way. `unsure`: the number of rows of which it is not known whether they
 * are done.
 */
export type BulkProgress = Tally &
  ({ phase: 'running' | 'stopping' | 'stopped' | 'finished' } | { phase: 'failed'; error: unknown; unsure: number });

export interface BulkRunDeps<Id extends string> {
  ids: readonly Id[];
  /** Makes the change to one part: all of it. If it rejects, it made none of it as far as the server was heard. */
  change: (ids: readonly Id[]) => Promise<readonly RowOutcome[]>;
  /** A deletion: a row that is missing when a part is repeated was deleted by the first try. */
  isDeletion: boolean;
  /** Whether a failure leaves open if the server did it nevertheless. */
  isUnsure: (error: unknown) => boolean;
  /** The number of rows in a part. */
  partSize?: number;
}

export interface BulkRun extends SnapshotSource<BulkProgress> {
  /** Starts; after a stop or a failure it goes on where it was. */
  start(): void;
  /** Sends no further part. Rows that are done stay done. */
  stop(): void;
  /** Stops for good and reports nothing any more. */
  close(): void;
}

/** Makes one change to many rows, part by part, so that progress is visible and the user can stop it. */
export function createBulkRun<Id extends string>(deps: BulkRunDeps<Id>): BulkRun {
  const { ids, change, isDeletion, isUnsure, partSize = BULK_MAX } = deps;
  const listeners = createListeners();
  let progress: BulkProgress = { phase: 'stopped', total: ids.length, tried: 0, done: 0, leftOut: [] };
  /** A part whose answer was not heard may have changed ids up to here. */
  let unsureUpTo = 0;
  let isClosed = false;

  const tell = (next: BulkProgress) => {
    progress = next;
    if (!isClosed) listeners.notify();
  };

  const tally = (part: readonly Id[], outcomes: readonly RowOutcome[]): Tally => {
    const isRepeated = progress.tried < unsureUpTo;
    const leftOut = outcomes.flatMap(({ id, outcome }) => {
      if (outcome === 'done' || (outcome === 'not_found' && isDeletion && isRepeated)) return [];
      return [{ id, reason: outcome }];
    });
    return {
      total: progress.total,
      tried: progress.tried + part.length,
      done: progress.done + part.length - leftOut.length,
      leftOut: [...progress.leftOut, ...leftOut],
    };
  };

  const go = async () => {
    while (progress.phase === 'running' && progress.tried < ids.length) {
      const part = ids.slice(progress.tried, progress.tried + partSize);
      try {
        const outcomes = await change(part);
        // A stop may have come while the part was under way.
        const { phase } = progress as BulkProgress;
        tell({ ...tally(part, outcomes), phase: phase === 'stopping' ? phase : 'running' });
      } catch (error) {
        const { total, tried, done, leftOut } = progress;
        const unsure = isUnsure(error) ? part.length : 0;
        if (unsure > 0) unsureUpTo = tried + unsure;
        tell({ total, tried, done, leftOut, phase: 'failed', error, unsure });
        return;
      }
    }
    const { total, tried, done, leftOut } = progress;
    tell({ total, tried, done, leftOut, phase: tried < ids.length ? 'stopped' : 'finished' });
  };

  return {
    getSnapshot: () => progress,
    subscribe: listeners.add,
    start() {
      if (isClosed || (progress.phase !== 'stopped' && progress.phase !== 'failed')) return;
      const { total, tried, done, leftOut } = progress;
      tell({ total, tried, done, leftOut, phase: 'running' });
      void go();
    },
    stop() {
      if (progress.phase === 'running') tell({ ...progress, phase: 'stopping' });
    },
    close() {
      isClosed = true;
      if (progress.phase === 'running') progress = { ...progress, phase: 'stopping' };
    },
  };
}
