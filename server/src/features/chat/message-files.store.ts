import { createHmac, randomBytes } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, open, opendir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { GoesOn } from '#src/platform/schedule.ts';
import { AppError } from '#src/shared/app-error.ts';
import { syncFolder } from '#src/shared/durable-files.ts';
import { IMAGE_ENDING, THUMBNAIL_ENDING } from './present-message.ts';

/** 128 bits: a name that nobody guesses, even without the signature of its path. */
const NAME_BYTES = 16;
const STORED_FILE = /^([0-9a-f]{32})(?:-small)?\.webp$/u;
/** While a file is being written. A backup leaves it out. */
const PART_ENDING = '.part';
/** Says which installation the files are of. */
export const OWNER_FILE = 'installation';
/** Files that a sweep looks at together: it holds no more names than these, and the database is asked for no more at once. */
const SWEEP_PIECE = 500;
/** No upload takes longer from its first file to its row. */
const UNDER_WAY_MS = 3_600_000;
const RETRY_AFTER_SECONDS = 30;
/** A disk, or a user's share of it, that is full. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

export interface FileStore {
  /**
   * Writes an image and its thumbnail; once this returns they outlive a power cut. Store the row then, and `drop` them if
   * that fails for certain. @returns the stored name
   * @throws AppError unavailable when the disk is full
   */
  put(image: Uint8Array, thumbnail: Uint8Array): Promise<string>;
  drop(storedName: string): Promise<void>;
  /** @returns null when there is no such file */
  read(file: string): Promise<{ stream: ReadStream; bytes: number } | null>;
  /**
   * Removes what has no row: what was being written or stored when a process was killed, and what could not be removed
   * before. It walks the folder in pieces, and ends when a backup begins.
   * @param isAlone no other process uses the folder, and none of ours writes: nothing is spared for being young
   */
  sweep(isAlone: boolean, goesOn: GoesOn): Promise<void>;
}

export interface FileStoreDeps {
  /** The folder; made when it is needed. */
  dir: string;
  /** A key of the database that the rows are in: files of another database are left alone. */
  key: Buffer;
  /** Those of these stored names that have a row. */
  known(storedNames: readonly string[]): Promise<ReadonlySet<string>>;
  /** Does it while no backup runs. @returns whether it was done */
  whileNoBackup(remove: () => Promise<void>): Promise<boolean>;
  now: () => Date;
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>;
}

export const createStoredName = (): string => randomBytes(NAME_BYTES).toString('hex');

/** The stored name that a file belongs to; null when it is not named like one of ours. */
export const storedNameOf = (file: string): string | null => STORED_FILE.exec(file)?.[1] ?? null;

/** The files of a stored name: the image and its thumbnail. */
export const filesOf = (storedName: string) =>
  [`${storedName}${IMAGE_ENDING}`, `${storedName}${THUMBNAIL_ENDING}`] as const;

export function createFileStore({ dir, key, known, whileNoBackup, now, log }: FileStoreDeps): FileStore {
  const owner = createHmac('sha256', key).update('message files').digest('hex');

  const sign = () => writeFile(join(dir, OWNER_FILE), `${owner}\n`, { mode: 0o600, flush: true });

  async function makeFolder(): Promise<void> {
    if ((await mkdir(dir, { recursive: true, mode: 0o700 })) === undefined) return;
    await sign();
    for (const parent of [dirname(dir), dirname(dirname(dir))]) await syncFolder(parent);
  }

  /** Whether the files are of our database; null when there is no folder. A folder without any becomes ours. */
  async function isOurs(): Promise<boolean | null> {
    const found = await readFile(join(dir, OWNER_FILE), 'utf8').catch(absent);
    if (found?.trim() === owner) return true;
    const folder = await opendir(dir).catch(absent);
    if (folder === null) return null;
    for await (const { name } of folder) if (name !== OWNER_FILE) return false;
    await sign();
    return true;
  }

  /** Names of the files in the folder, some at a time: there may be millions. */
  async function* pieces(): AsyncGenerator<string[]> {
    let piece: string[] = [];
    for await (const { name } of await opendir(dir, { bufferSize: SWEEP_PIECE })) {
      piece.push(name);
      if (piece.length < SWEEP_PIECE) continue;
      yield piece;
      piece = [];
    }
    if (piece.length > 0) yield piece;
  }

  /** Those of these files that no row knows, and that nobody is about to store. */
  async function lostOf(files: readonly string[], isAlone: boolean): Promise<string[]> {
    const names = new Map<string, string>();
    for (const file of files) {
      const name = storedNameOf(file.endsWith(PART_ENDING) ? file.slice(0, -PART_ENDING.length) : file);
      if (name !== null) names.set(file, name);
    }
    const rows = await known([...new Set(names.values())]);
    const lost: string[] = [];
    for (const [file, name] of names) {
      if (rows.has(name) && !file.endsWith(PART_ENDING)) continue;
      const info = await stat(join(dir, file)).catch(absent);
      if (info === null || (!isAlone && now().getTime() - info.mtimeMs < UNDER_WAY_MS)) continue;
      lost.push(file);
    }
    return lost;
  }

  async function write(file: string, bytes: Uint8Array): Promise<void> {
    const part = join(dir, `${file}${PART_ENDING}`);
    const handle = await open(part, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(part, join(dir, file));
  }

  async function drop(storedName: string): Promise<void> {
    for (const file of filesOf(storedName)) {
      await rm(join(dir, file), { force: true });
      await rm(join(dir, `${file}${PART_ENDING}`), { force: true });
    }
  }

  return {
    drop,

    async put(image, thumbnail) {
      const storedName = createStoredName();
      try {
        await makeFolder();
        const [full, small] = filesOf(storedName);
        await write(full, image);
        await write(small, thumbnail);
        await syncFolder(dir);
        return storedName;
      } catch (error) {
        await drop(storedName).catch((failure: unknown) => log.warn({ err: failure }, 'file_not_removed'));
        const { code = '' } = error as NodeJS.ErrnoException;
        if (!FULL.has(code)) throw error;
        log.warn({ err: error }, 'disk_full');
        throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }, { cause: error });
      }
    },

    async read(file) {
      const path = join(dir, file);
      const found = await open(path).catch(absent);
      if (found === null) return null;
      const { size } = await found.stat();
      return { stream: createReadStream(path, { fd: found }), bytes: size };
    },

    async sweep(isAlone, goesOn) {
      const isOwn = await isOurs();
      if (isOwn === false) log.warn('files_of_another_installation');
      if (isOwn !== true) return;
      let removed = 0;
      for await (const files of pieces()) {
        if (!(await goesOn())) break;
        const lost = await lostOf(files, isAlone);
        if (lost.length === 0) continue;
        const remove = async () => {
          for (const file of lost) await rm(join(dir, file), { force: true });
        };
        if (!(await whileNoBackup(remove))) break;
        removed += lost.length;
      }
      if (removed > 0) log.info({ removed }, 'files_swept');
    },
  };
}

/** Null for a file that is not there. */
function absent(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
