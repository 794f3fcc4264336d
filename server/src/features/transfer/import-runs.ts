import { setTimeout as sleep } from 'node:timers/promises';
import type { UserId } from '@pressel/contract/ids';
import { getImport, type listImports } from '@pressel/contract/transfer';
import type { FastifyBaseLogger } from 'fastify';
import type * as z from 'zod';
import type { Db, Tx } from '#src/db/connect.ts';
import { violatedConstraint } from '#src/db/errors.ts';
import { AppError } from '#src/shared/app-error.ts';
import * as repository from './imports.repository.ts';

/** How long the outcome of an import is kept after its end, for clients that lost the answer. */
const KEPT_MS = 3_600_000;
/** Rows kept over all outcomes; ten thousand take 1 to 2 MB. Enough that small imports don't evict each other. */
const KEPT_ROWS = 500_000;
/** Fixed cost of an import, expressed in rows. */
const RUN_COST_IN_ROWS = 50;
/** Minimum interval between progress events. */
const TELL_EVERY_MS = 200;
/** How often the process at work says how far it is, and looks whether somebody wants it to stop. */
const KEEP_EVERY_MS = 1_000;
/** An import whose process says nothing for this long has failed. */
const SILENT_MS = 15_000;
const RETRY_AFTER_SECONDS = 5;
/** How often a repeated request looks whether another process has ended its import, ms. */
const FOLLOW_EVERY_MS = 500;

export type ImportState = z.output<(typeof getImport)['reply']>['res'];
/** An import in its owner's list. */
export type ImportEntry = z.output<(typeof listImports)['reply']>['res'][number];
type StoredState = Extract<ImportState, { outcome: unknown }>;

/** A running import, as seen by the function that does the work. */
export interface ImportRun {
  /** Aborts when the import is cancelled or the server stops; the reason is the AppError to answer. */
  readonly signal: AbortSignal;
  progress(done: number, total: number): void;
  /** Marks the import as no longer cancellable. @throws AppError when it was cancelled before */
  beginStoring(): Promise<void>;
  /**
   * Stores the outcome in the transaction that stores the rows: an import that failed has stored nothing, whenever its process
   * died.
   * @throws AppError unavailable: others took it for failed, because this process stood still
   */
  store(tx: Tx, end: StoredState): Promise<void>;
}

/**
 * Running and recently ended imports. They are rows, so that every process knows of them, and a process that died takes none
 * along.
 */
export interface ImportRuns {
  /**
   * Runs `work` as an import of this user. If an import of that id and kind runs or has stored its rows, its outcome is the
   * answer: a client that lost the first answer may send it again [IMP35].
   * @throws AppError import_running when the user has another one running
   */
  run<S extends StoredState>(
    owner: UserId,
    what: Pick<ImportEntry, 'importId' | 'kind'>,
    work: (run: ImportRun) => Promise<S>,
  ): Promise<S>;
  /** The known imports of this user, the newest first. */
  list(owner: UserId): Promise<ImportEntry[]>;
  /** Progress or outcome; null when this user has no such import. */
  find(owner: UserId, id: string): Promise<ImportState | null>;
  /** @returns true when nothing of it is or will be stored; null when this user has no such import */
  cancel(owner: UserId, id: string): Promise<boolean | null>;
  /** Call it when no other process is there: imports that still run by the table died with an earlier one. */
  failLeftovers(): Promise<void>;
  /** How many run in this process. */
  running(): number;
  /** Cancels imports that are not yet being stored, waits for the others, refuses new ones. */
  close(): Promise<void>;
}

/** An import that this process does. */
interface Entry {
  own: repository.OwnImport;
  done: number;
  total: number;
  isStoring: boolean;
  stop: AbortController;
  /** How it ends; rejects when nothing is stored. */
  result: Promise<StoredState>;
}

export interface ImportRunsDeps {
  db: Db;
  processId: string;
  now(): Date;
  /** A monotonic clock, ms. */
  steadyNow(): number;
  tellProgress(owner: UserId, news: { importId: string; done: number; total: number }): void;
  log: Pick<FastifyBaseLogger, 'warn'>;
}

export function createImportRuns({ db, processId, now, steadyNow, tellProgress, log }: ImportRunsDeps): ImportRuns {
  const here = new Map<UserId, Entry>();
  const closing = new AbortController();

  const keyOf = (owner: UserId, importId: string) => ({ ownerId: owner, importId });
  /** Fails imports whose process is silent, and forgets old ones, so that nobody reads of them. */
  async function tidy(): Promise<void> {
    await repository.failSilent(db, SILENT_MS, now());
    await repository.forgetImports(db, new Date(now().getTime() - KEPT_MS), KEPT_ROWS);
  }
  const findHere = (owner: UserId, importId: string): Entry | null => {
    const entry = here.get(owner);
    return entry?.own.importId === importId ? entry : null;
  };

  async function begin(own: repository.OwnImport, kind: ImportEntry['kind']): Promise<boolean> {
    try {
      return await repository.beginImport(db, { ...own, kind, startedAt: now(), size: RUN_COST_IN_ROWS });
    } catch (error) {
      const constraint = violatedConstraint(error);
      if (constraint === 'imports_running_key') throw new AppError('import_running', {}, { cause: error });
      if (constraint !== null) throw new AppError('unauthenticated', {}, { cause: error });
      throw error;
    }
  }

  /** The outcome of the import of this id, which runs or has stored its rows already. */
  async function follow(owner: UserId, { importId, kind }: Pick<ImportEntry, 'importId' | 'kind'>) {
    const entry = findHere(owner, importId);
    if (entry !== null) return entry.result;
    for (;;) {
      await repository.failSilent(db, SILENT_MS, now());
      const row = await repository.findImport(db, keyOf(owner, importId));
      if (row === null || row.state === 'failed') throw new AppError('unavailable');
      if (row.kind !== kind) throw new AppError('import_running');
      if (row.state === 'cancelled') throw new AppError('import_cancelled');
      const state = stateOf(row);
      if ('outcome' in state) return state;
      await sleep(FOLLOW_EVERY_MS, undefined, { signal: closing.signal }).catch(() => {
        throw new AppError('unavailable');
      });
    }
  }

  type Stopped = 'import_cancelled' | 'unauthenticated' | 'unavailable';
  const stop = (entry: Entry, why: Stopped): void => {
    if (!entry.isStoring) entry.stop.abort(new AppError(why));
  };
  /** Why an import can't go on: somebody cancelled it, its owner is gone, or it was taken for failed. */
  async function whyStopped(own: repository.OwnImport): Promise<Stopped> {
    const row = await repository.findImport(db, own);
    if (row === null) return 'unauthenticated';
    return row.isUnwanted ? 'import_cancelled' : 'unavailable';
  }

  /** Stores that a running import goes on. */
  async function keep(entry: Entry): Promise<void> {
    try {
      const { done, total } = entry;
      const goesOn = await repository.keepImport(db, entry.own, { done, total });
      if (!goesOn) stop(entry, await whyStopped(entry.own));
    } catch (error) {
      log.warn({ err: error }, 'import_not_kept');
    }
  }

  function runOf(owner: UserId, entry: Entry): ImportRun {
    const { own, stop: stopping } = entry;
    const { signal } = stopping;
    let toldAt = Number.NEGATIVE_INFINITY;
    return {
      signal,
      progress(done, total) {
        // Hashes that were in progress when the import was cancelled still report their end.
        if (signal.aborted) return;
        Object.assign(entry, { done, total });
        if (done < total && steadyNow() - toldAt < TELL_EVERY_MS) return;
        toldAt = steadyNow();
        tellProgress(owner, { importId: own.importId, done, total });
      },
      async beginStoring() {
        signal.throwIfAborted();
        entry.isStoring = true;
        if (await repository.beginStoring(db, own)) return;
        stopping.abort(new AppError(await whyStopped(own)));
        signal.throwIfAborted();
      },
      async store(tx, { outcome }) {
        const isStill = await repository.endStored(tx, own, { outcome, size: rowsOf(outcome), endedAt: now() });
        if (!isStill) throw new AppError('unavailable');
      },
    };
  }

  return {
    async run<S extends StoredState>(
      owner: UserId,
      what: Pick<ImportEntry, 'importId' | 'kind'>,
      work: (run: ImportRun) => Promise<S>,
    ): Promise<S> {
      if (closing.signal.aborted) throw new AppError('unavailable');
      await tidy();
      const own = { ...keyOf(owner, what.importId), processId };
      // Imports of one kind end alike.
      if (!(await begin(own, what.kind))) return (await follow(owner, what)) as S;
      const { promise: result, resolve, reject } = Promise.withResolvers<S>();
      const entry: Entry = { own, done: 0, total: 0, isStoring: false, stop: new AbortController(), result };
      here.set(owner, entry);
      if (closing.signal.aborted) stop(entry, 'unavailable');
      const keeping = setInterval(() => keep(entry), KEEP_EVERY_MS);
      try {
        resolve(await work(runOf(owner, entry)));
      } catch (error) {
        const { signal } = entry.stop;
        const isCancelled = signal.reason instanceof AppError && signal.reason.code === 'import_cancelled';
        await repository
          .endImport(db, own, { state: isCancelled ? 'cancelled' : 'failed', endedAt: now() })
          // The import counts as failed when nobody says any more that it goes on.
          .catch((failure: unknown) => log.warn({ err: failure }, 'import_not_kept'));
        reject(error);
      } finally {
        clearInterval(keeping);
        here.delete(owner);
      }
      return await result;
    },

    async list(owner) {
      await tidy();
      return (await repository.listImports(db, owner)).map(
        ({ importId, kind, startedAt, endedAt }): ImportEntry => ({
          importId,
          kind,
          state: endedAt === null ? 'running' : 'ended',
          startedAt: startedAt.toISOString(),
          endedAt: endedAt?.toISOString() ?? null,
        }),
      );
    },

    async find(owner, id) {
      const entry = findHere(owner, id);
      if (entry !== null) return { state: 'running', done: entry.done, total: entry.total };
      await tidy();
      const row = await repository.findImport(db, keyOf(owner, id));
      return row && stateOf(row);
    },

    async cancel(owner, id) {
      const isStopping = await repository.stopImport(db, keyOf(owner, id));
      const entry = findHere(owner, id);
      if (isStopping) {
        // Another process looks at the row once a second.
        if (entry !== null) stop(entry, 'import_cancelled');
        return true;
      }
      await tidy();
      const row = await repository.findImport(db, keyOf(owner, id));
      return row && (row.state === 'cancelled' || row.state === 'failed');
    },

    running: () => here.size,

    failLeftovers: () => repository.failSilent(db, 0, now()),

    async close() {
      closing.abort();
      const open = [...here.values()];
      for (const entry of open) stop(entry, 'unavailable');
      await Promise.allSettled(open.map((entry) => entry.result));
    },
  };
}

/** @throws AppError unavailable: only a process of another version can tell */
function stateOf({ state, kind, done, total, outcome, endedAt }: repository.ImportRow): ImportState {
  switch (state) {
    case 'running':
    case 'storing':
      return { state: 'running', done, total };
    case 'stored':
      return getImport.reply.shape.res.safeParse({ state: kind, outcome }).data ?? unreadable();
    case 'cancelled':
    case 'failed':
      return { state };
    case 'other':
      return endedAt === null ? { state: 'running', done, total } : unreadable();
  }
}

const unreadable = () => {
  throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
};

const rowsOf = ({ created, existing, rejected, repeated }: StoredState['outcome']): number =>
  RUN_COST_IN_ROWS + created.length + existing.length + rejected.length + repeated.length;
