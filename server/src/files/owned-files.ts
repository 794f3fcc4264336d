import { text } from 'node:stream/consumers';
import { sql as expression } from 'drizzle-orm';
import type { FastifyBaseLogger } from 'fastify';
import type { Db } from '#src/db/connect.ts';
import { BACKUP_LOCK } from '#src/db/locks.ts';
import type { GoesOn, Schedule } from '#src/processes/schedule.ts';
import { createKeyedLock } from '#src/shared/keyed-lock.ts';
import { type FileStore, isPart, type StoredFile, wholeNameOf } from './file-store.ts';

/**
 * Removes files while no backup runs, because a backup copies the files of its snapshot. The transaction only holds the
 * lock meanwhile: remove few files at a time, and don't query the database, whose other connections may be taken.
 * @returns whether the work ran
 */
export const whileNoBackup = (db: Db, work: () => Promise<void>): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ free: boolean }>(
      expression`select pg_try_advisory_xact_lock_shared(${BACKUP_LOCK}) as free`,
    );
    if (rows[0]?.free !== true) return false;
    await work();
    return true;
  });

/** The file that says which installation a folder's files belong to. */
export const OWNER_FILE = 'installation';
/** No upload takes longer from its first file to its row. */
const UNDER_WAY_MS = 3_600_000;
/** How often to look for files without a row: those that could not be removed with it. */
const SWEEP_EVERY_MS = 3_600_000;

/** Files that belong to rows of the database, in a folder of their own. They are stored before their row, and removed after it. */
export interface OwnedFiles {
  /** Stores files together; once this returns they survive a power cut. A failure leaves none of them. */
  put(files: readonly (readonly [file: string, bytes: Uint8Array])[]): Promise<void>;
  /** @returns null when there is no such file */
  get(file: string): ReturnType<FileStore['get']>;
  /** Removes files that never had a row. */
  remove(files: readonly string[]): Promise<void>;
  /** Removes files whose rows are gone. Never fails: the sweep removes what can't be removed now. */
  discard(files: readonly string[]): Promise<void>;
  /**
   * Removes files without a row: leftovers of a killed process, and files that could not be removed before. Works in
   * pieces, and ends when a backup begins.
   * @param isAlone no other process uses the files, and ours isn't writing: young files are removed, too
   */
  sweep(isAlone: boolean, goesOn: GoesOn): Promise<void>;
}

export interface OwnedFilesDeps {
  store: FileStore;
  folder: string;
  /** Known only to the database that holds the rows: files of another database are left alone. */
  owner: string;
  /** The name of the row that a file belongs to; null when the file's name is not one of ours. */
  rowOf(file: string): string | null;
  /** Returns those of the names that have a row. */
  known(rows: readonly string[]): Promise<ReadonlySet<string>>;
  /** Runs `remove` while no backup runs. @returns whether it ran */
  whileNoBackup(remove: () => Promise<void>): Promise<boolean>;
  now: () => Date;
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>;
}

export function createOwnedFiles(deps: OwnedFilesDeps): OwnedFiles {
  const { store, folder, owner, rowOf, known, whileNoBackup, now, log } = deps;
  const turns = createKeyedLock();
  const inFolder = (file: string): string => `${folder}/${file}`;
  const mark = inFolder(OWNER_FILE);

  async function isEmpty(): Promise<boolean> {
    for await (const files of store.list(folder)) {
      if (files.some(({ name }) => wholeNameOf(name) !== mark)) return false;
    }
    return true;
  }

  /** The first file's writer signs the folder. Files without a signature have an unknown owner. */
  async function sign(): Promise<void> {
    if ((await store.head(mark)) === null && (await isEmpty())) await store.put(mark, Buffer.from(`${owner}\n`));
  }

  /** Whether the files belong to our database; null when there are none. */
  async function areOurs(): Promise<boolean | null> {
    const found = await store.get(mark);
    if (found === null) return (await isEmpty()) ? null : false;
    return (await text(found.stream)).trim() === owner;
  }

  /** Finds files that no row knows and nobody is about to store. */
  async function lostOf(files: readonly StoredFile[], isAlone: boolean): Promise<string[]> {
    const named = files.flatMap(({ name, modifiedAt }) => {
      const row = rowOf(wholeNameOf(name).slice(folder.length + 1));
      const isYoung = now().getTime() - modifiedAt.getTime() < UNDER_WAY_MS;
      return row === null || (isYoung && !isAlone) ? [] : [{ name, row }];
    });
    if (named.length === 0) return [];
    const rows = await known([...new Set(named.map(({ row }) => row))]);
    return named.flatMap(({ name, row }) => (isPart(name) || !rows.has(row) ? [name] : []));
  }

  const remove = (files: readonly string[]) => store.remove(files.map(inFolder));

  return {
    async put(files) {
      await sign();
      const outcomes = await Promise.allSettled(files.map(([file, bytes]) => store.put(inFolder(file), bytes)));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed === undefined) return;
      await remove(files.map(([file]) => file)).catch((error: unknown) => log.warn({ err: error }, 'file_not_removed'));
      throw failed.reason;
    },

    get: (file) => store.get(inFolder(file)),

    remove,

    async discard(files) {
      if (files.length === 0) return;
      try {
        // One at a time: each holds a connection to the database, even while a store doesn't answer.
        await turns.run('discard', () => whileNoBackup(() => remove(files)));
      } catch (error) {
        log.warn({ err: error }, 'file_not_removed');
      }
    },

    async sweep(isAlone, goesOn) {
      const isOwn = await areOurs();
      if (isOwn === false) log.warn({ folder }, 'files_of_another_installation');
      if (isOwn !== true) return;
      let removed = 0;
      for await (const files of store.list(folder)) {
        if (!(await goesOn())) break;
        const lost = await lostOf(files, isAlone);
        if (lost.length === 0) continue;
        if (!(await whileNoBackup(() => store.remove(lost)))) break;
        removed += lost.length;
      }
      if (removed > 0) log.info({ removed, folder }, 'files_swept');
    },
  };
}

/** Sweeps every hour. A process that is alone also sweeps before it serves anybody: files without a row then belong to nobody. */
export async function keepSwept(
  files: Pick<OwnedFiles, 'sweep'>,
  { schedule, log, name, isAlone }: { schedule: Schedule; log: FastifyBaseLogger; name: string; isAlone: boolean },
): Promise<void> {
  if (isAlone) {
    const goesOn = async () => true;
    await files.sweep(true, goesOn).catch((error: unknown) => log.error({ err: error }, `${name}_failed`));
  }
  const sweeps = schedule.every(SWEEP_EVERY_MS, name, (pace) => files.sweep(false, pace), { by: 'one' });
  if (!isAlone) sweeps.soon();
}
