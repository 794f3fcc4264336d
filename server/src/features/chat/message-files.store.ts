import { createHmac, randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { FastifyBaseLogger } from 'fastify';
import { type FileStore, PART_ENDING, type StoredFile } from '#src/platform/files/file-store.ts';
import type { GoesOn } from '#src/platform/schedule.ts';
import { IMAGE_ENDING, THUMBNAIL_ENDING } from './present-message.ts';

/** 128 bits: a name that nobody guesses, even without the signature of its path. */
const NAME_BYTES = 16;
const STORED_FILE = /^([0-9a-f]{32})(?:-small)?\.webp$/u;
/** Where the files of messages are in the store. */
export const MESSAGES_FOLDER = 'messages';
/** Says which installation the files are of. */
export const OWNER_FILE = 'installation';
/** No upload takes longer from its first file to its row. */
const UNDER_WAY_MS = 3_600_000;

/** Images of messages, with their thumbnails. */
export interface MessageFiles {
  /**
   * Stores an image and its thumbnail; once this returns they outlive a power cut. Store the row then, and `drop` them if
   * that fails for certain. @returns the stored name
   * @throws AppError unavailable when the disk is full, or the store away
   */
  put(image: Uint8Array, thumbnail: Uint8Array): Promise<string>;
  drop(storedName: string): Promise<void>;
  /** @returns null when there is no such file */
  read(file: string): ReturnType<FileStore['get']>;
  /**
   * Removes what has no row: what was being written or stored when a process was killed, and what could not be removed
   * before. It goes through the files in pieces, and ends when a backup begins.
   * @param isAlone no other process uses the files, and none of ours writes: nothing is spared for being young
   */
  sweep(isAlone: boolean, goesOn: GoesOn): Promise<void>;
}

export interface MessageFilesDeps {
  store: FileStore;
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

const inFolder = (file: string): string => `${MESSAGES_FOLDER}/${file}`;
const OWNER = inFolder(OWNER_FILE);

export function createMessageFiles({ store, key, known, whileNoBackup, now, log }: MessageFilesDeps): MessageFiles {
  const owner = createHmac('sha256', key).update('message files').digest('hex');

  async function isEmpty(): Promise<boolean> {
    for await (const files of store.list(MESSAGES_FOLDER)) {
      if (files.some(({ name }) => name !== OWNER && name !== `${OWNER}${PART_ENDING}`)) return false;
    }
    return true;
  }

  /** Whoever stores the first file signs. What is there without a signature is somebody's whom we don't know. */
  async function sign(): Promise<void> {
    if ((await store.head(OWNER)) === null && (await isEmpty())) await store.put(OWNER, Buffer.from(`${owner}\n`));
  }

  /** Whether the files are of our database; null when there are none. */
  async function areOurs(): Promise<boolean | null> {
    const found = await store.get(OWNER);
    if (found === null) return (await isEmpty()) ? null : false;
    return (await text(found.stream)).trim() === owner;
  }

  /** Those of these files that no row knows, and that nobody is about to store. */
  async function lostOf(files: readonly StoredFile[], isAlone: boolean): Promise<string[]> {
    const named = files.flatMap(({ name, modifiedAt }) => {
      const isPart = name.endsWith(PART_ENDING);
      const file = name.slice(MESSAGES_FOLDER.length + 1, isPart ? -PART_ENDING.length : undefined);
      const storedName = storedNameOf(file);
      const isYoung = now().getTime() - modifiedAt.getTime() < UNDER_WAY_MS;
      return storedName === null || (isYoung && !isAlone) ? [] : [{ name, storedName, isPart }];
    });
    if (named.length === 0) return [];
    const rows = await known([...new Set(named.map(({ storedName }) => storedName))]);
    return named.flatMap(({ name, storedName, isPart }) => (isPart || !rows.has(storedName) ? [name] : []));
  }

  const drop = (storedName: string) => store.remove(filesOf(storedName).map(inFolder));

  return {
    drop,

    async put(image, thumbnail) {
      const storedName = createStoredName();
      await sign();
      const [full, small] = filesOf(storedName).map(inFolder) as [string, string];
      const outcomes = await Promise.allSettled([store.put(full, image), store.put(small, thumbnail)]);
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed === undefined) return storedName;
      await drop(storedName).catch((failure: unknown) => log.warn({ err: failure }, 'file_not_removed'));
      throw failed.reason;
    },

    read: (file) => store.get(inFolder(file)),

    async sweep(isAlone, goesOn) {
      const isOwn = await areOurs();
      if (isOwn === false) log.warn('files_of_another_installation');
      if (isOwn !== true) return;
      let removed = 0;
      for await (const files of store.list(MESSAGES_FOLDER)) {
        if (!(await goesOn())) break;
        const lost = await lostOf(files, isAlone);
        if (lost.length === 0) continue;
        if (!(await whileNoBackup(() => store.remove(lost)))) break;
        removed += lost.length;
      }
      if (removed > 0) log.info({ removed }, 'files_swept');
    },
  };
}
