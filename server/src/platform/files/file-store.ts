import type { Readable } from 'node:stream';
import { AppError } from '#src/shared/app-error.ts';

export interface StoredFile {
  name: string;
  bytes: number;
  modifiedAt: Date;
}

/**
 * Files that are kept beside the database, by names such as `messages/<stored name>.webp`: in a folder, or in the bucket of an S3 store.
 * Every call fails as AppError `unavailable`, with a time to wait, when the disk is full or the store is away.
 */
export interface FileStore {
  /** Stores a whole file, or replaces it. Once this returns, it outlives a power cut. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** @returns null when there is no such file */
  get(name: string): Promise<{ stream: Readable; bytes: number } | null>;
  head(name: string): Promise<Omit<StoredFile, 'name'> | null>;
  /** Removes files; those that are not there are no error. */
  remove(names: readonly string[]): Promise<void>;
  /**
   * All files below a folder such as `messages`, or all there are (empty), some at a time: there may be millions. In a folder also files
   * that others put there.
   */
  list(folder: string): AsyncIterable<readonly StoredFile[]>;
  /** Fails unless the store can be reached and lets us in. */
  ping(): Promise<void>;
  /** Ends what is under way. */
  close(): void;
}

/** While a folder writes a file, its name ends so. A crash leaves it; nobody reads it, and no backup takes it. */
export const PART_ENDING = '.part';
/** Files that a list gives together. */
export const LIST_PIECE = 500;
const RETRY_AFTER_SECONDS = 30;

/** No empty step, and none that leads up or is hidden. */
const NAME = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/u;

export const isName = (name: string): boolean => NAME.test(name);

/** Names come from our own code, so another one is a fault of ours. It must not reach a disk. */
export function requireName(name: string): void {
  if (!isName(name)) throw new Error('This is no name of a file');
}

export const unavailable = (cause: unknown): AppError =>
  new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }, { cause });

/** Whoever installs it can mend this by what the message says. */
export class FilesStartError extends Error {}
