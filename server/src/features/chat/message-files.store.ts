import { createHmac, randomBytes } from 'node:crypto';
import { createOwnedFiles, type OwnedFiles, type OwnedFilesDeps } from '#src/files/owned-files.ts';

/** 128 bits: nobody guesses such a name, even without the signature of its path. */
const NAME_BYTES = 16;
const STORED_FILE = /^([0-9a-f]{32})(?:-small)?\.webp$/u;
/** The folder of the store for the files of messages. */
export const MESSAGES_FOLDER = 'messages';

/** Path prefix of images; the stored name and its ending follow. */
export const MESSAGE_FILES_PATH = '/files/messages/';
export const IMAGE_ENDING = '.webp';
export const THUMBNAIL_ENDING = '-small.webp';

/** Images of messages, with their thumbnails. */
export interface MessageFiles extends Pick<OwnedFiles, 'sweep'> {
  /**
   * Stores an image and its thumbnail; once this returns they outlive a power cut. Store the row then, and `remove` them if
   * that fails for certain. @returns the stored name
   * @throws AppError unavailable when the disk is full, or the store away
   */
  put(image: Uint8Array, thumbnail: Uint8Array): Promise<string>;
  /** Removes files that never had a row. */
  remove(storedName: string): Promise<void>;
  /** Removes files whose rows are gone, now or later. */
  discard(storedNames: readonly string[]): Promise<void>;
  /** @returns null when there is no such file */
  read: OwnedFiles['get'];
}

export interface MessageFilesDeps extends Omit<OwnedFilesDeps, 'folder' | 'owner' | 'rowOf'> {
  /** A key of the database that the rows are in. */
  key: Buffer;
}

export const createStoredName = (): string => randomBytes(NAME_BYTES).toString('hex');

/** The stored name that a file belongs to; null when it is not named like one of ours. */
export const storedNameOf = (file: string): string | null => STORED_FILE.exec(file)?.[1] ?? null;

/** The files of a stored name: the image and its thumbnail. */
export const filesOf = (storedName: string) =>
  [`${storedName}${IMAGE_ENDING}`, `${storedName}${THUMBNAIL_ENDING}`] as const;

export function createMessageFiles({ key, ...deps }: MessageFilesDeps): MessageFiles {
  const owner = createHmac('sha256', key).update('message files').digest('hex');
  const files = createOwnedFiles({ ...deps, folder: MESSAGES_FOLDER, owner, rowOf: storedNameOf });
  return {
    async put(image, thumbnail) {
      const storedName = createStoredName();
      const [full, small] = filesOf(storedName);
      await files.put([
        [full, image],
        [small, thumbnail],
      ]);
      return storedName;
    },
    remove: (storedName) => files.remove(filesOf(storedName)),
    discard: (storedNames) => files.discard(storedNames.flatMap(filesOf)),
    read: files.get,
    sweep: files.sweep,
  };
}
