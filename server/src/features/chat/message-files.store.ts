import { createHmac, randomBytes } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { AppError } from '#src/shared/app-error.ts';
import { syncFolder } from '#src/shared/durable-files.ts';
import { IMAGE_ENDING, THUMBNAIL_ENDING } from './present-message.ts';

/** 128 bits: a name that nobody guesses, even without the signature of its path. */
const NAME_BYTES = 16;
const STORED_FILE = /^([0-9a-f]{32})(?:-small)?\.webp$/u;
/** While a file is being written. A backup leaves it out. */
const PART_ENDING = '.part';
const ENDINGS = [IMAGE_ENDING, THUMBNAIL_ENDING] as const;
/** Says which installation the files are of. */
const OWNER_FILE = 'installation';
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
   * before. @param isAlone no other process uses the folder, and none of ours writes: nothing is spared for being young
   */
  sweep(isAlone: boolean): Promise<void>;
}

export interface FileStoreDeps {
  /** The folder; made when it is needed. */
  dir: string;
  /** A key of the database that the rows are in: files of another database are left alone. */
  key: Buffer;
  /** Those of these stored names that have a row. */
  known(storedNames: readonly string[]): Promise<ReadonlySet<string>>;
  now: () => Date;
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>;
}

export const createStoredName = (): string => randomBytes(NAME_BYTES).toString('hex');

/** The stored name that a file belongs to; null when it is not named like one of ours. */
export const storedNameOf = (file: string): string | null => STORED_FILE.exec(file)?.[1] ?? null;

export function createFileStore({ dir, key, known, now, log }: FileStoreDeps): FileStore {
  const owner = createHmac('sha256', key).update('message files').digest('hex');

  const sign = () => writeFile(join(dir, OWNER_FILE), `${owner}\n`, { mode: 0o600, flush: true });

  async function makeFolder(): Promise<void> {
    if ((await mkdir(dir, { recursive: true, mode: 0o700 })) === undefined) return;
    await sign();
    for (const parent of [dirname(dir), dirname(dirname(dir))]) await syncFolder(parent);
  }

  /** Whether the files are of our database. A folder without any becomes ours. */
  async function isOurs(files: readonly string[]): Promise<boolean> {
    const found = await readFile(join(dir, OWNER_FILE), 'utf8').catch(absent);
    if (found?.trim() === owner) return true;
    if (files.some((file) => file !== OWNER_FILE)) return false;
    await sign();
    return true;
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
    for (const ending of ENDINGS) {
      await rm(join(dir, `${storedName}${ending}`), { force: true });
      await rm(join(dir, `${storedName}${ending}${PART_ENDING}`), { force: true });
    }
  }

  return {
    drop,

    async put(image, thumbnail) {
      const storedName = createStoredName();
      try {
        await makeFolder();
        await write(`${storedName}${IMAGE_ENDING}`, image);
        await write(`${storedName}${THUMBNAIL_ENDING}`, thumbnail);
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

    async sweep(isAlone) {
      const files = await readdir(dir).catch(absent);
      if (files === null) return;
      if (!(await isOurs(files))) {
        log.warn('files_of_another_installation');
        return;
      }
      const names = new Map<string, string>();
      for (const file of files) {
        const name = storedNameOf(file.endsWith(PART_ENDING) ? file.slice(0, -PART_ENDING.length) : file);
        if (name !== null) names.set(file, name);
      }
      const rows = await known([...new Set(names.values())]);
      let removed = 0;
      for (const [file, name] of names) {
        if (rows.has(name) && !file.endsWith(PART_ENDING)) continue;
        const path = join(dir, file);
        const info = await stat(path).catch(absent);
        if (info === null || (!isAlone && now().getTime() - info.mtimeMs < UNDER_WAY_MS)) continue;
        await rm(path, { force: true });
        removed += 1;
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
