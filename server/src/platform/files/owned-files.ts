import { text } from 'node:stream/consumers';
import type { FastifyBaseLogger } from 'fastify';
import type { GoesOn, Schedule } from '#src/platform/schedule.ts';
import { createKeyedLock } from '#src/shared/keyed-lock.ts';
import { type FileStore, PART_ENDING, type StoredFile } from './file-store.ts';

/** Says which installation the files of a folder are of. */
export const OWNER_FILE = 'installation';
/** No upload takes longer from its first file to its row. */
const UNDER_WAY_MS = 3_600_000;
/** How often files without a row are looked for: those that could not be removed when their row was. */
const SWEEP_EVERY_MS = 3_600_000;

/** Files that belong to rows of the database, in a folder of their own. They are stored before their row, and removed after it. */
export interface OwnedFiles {
  /** Stores files together; once this returns they outlive a power cut. None is left when it fails. */
  put(files: readonly (readonly [file: string, bytes: Uint8Array])[]): Promise<void>;
  /** @returns null when there is no such file */
  get(file: string): ReturnType<FileStore['get']>;
  /** Removes files that never had a row. */
  remove(files: readonly string[]): Promise<void>;
  /** Removes files whose rows are gone. It never fails: what can't be removed now, the sweep removes. */
  discard(files: readonly string[]): Promise<void>;
  /**
   * Removes what has no row: what was being written or stored when a process was killed, and what could not be removed
   * before. It goes through the files in pieces, and ends when a backup begins.
   * @param isAlone no other process uses the files, and none of ours writes: nothing is spared for being young
   */
  sweep(isAlone: boolean, goesOn: GoesOn): Promise<void>;
}

export interface OwnedFilesDeps {
  store: FileStore;
  folder: string;
  /** What only the database that the rows are in can know: files of another one are left alone. */
  owner: string;
  /** What rows call the one that a file belongs to; null when it is not named like one of ours. */
  rowOf(file: string): string | null;
  /** Those of these that there is a row of. */
  known(rows: readonly string[]): Promise<ReadonlySet<string>>;
  /** Does it while no backup runs. @returns whether it was done */
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
      if (files.some(({ name }) => name !== mark && name !== `${mark}${PART_ENDING}`)) return false;
    }
    return true;
  }

  /** Whoever stores the first file signs. What is there without a signature is somebody's whom we don't know. */
  async function sign(): Promise<void> {
    if ((await store.head(mark)) === null && (await isEmpty())) await store.put(mark, Buffer.from(`${owner}\n`));
  }

  /** Whether the files are of our database; null when there are none. */
  async function areOurs(): Promise<boolean | null> {
    const found = await store.get(mark);
    if (found === null) return (await isEmpty()) ? null : false;
    return (await text(found.stream)).trim() === owner;
  }

  /** Those of these files that no row knows, and that nobody is about to store. */
  async function lostOf(files: readonly StoredFile[], isAlone: boolean): Promise<string[]> {
    const named = files.flatMap(({ name, modifiedAt }) => {
      const isPart = name.endsWith(PART_ENDING);
      const row = rowOf(name.slice(folder.length + 1, isPart ? -PART_ENDING.length : undefined));
      const isYoung = now().getTime() - modifiedAt.getTime() < UNDER_WAY_MS;
      return row === null || (isYoung && !isAlone) ? [] : [{ name, row, isPart }];
    });
    if (named.length === 0) return [];
    const rows = await known([...new Set(named.map(({ row }) => row))]);
    return named.flatMap(({ name, row, isPart }) => (isPart || !rows.has(row) ? [name] : []));
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
        // One at a time: each holds a connection to the database, also while a store doesn't answer.
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

/** Sweeps every hour. Whoever is alone with the files does so at once, before anybody is served: what has no row then belongs to nobody. */
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
