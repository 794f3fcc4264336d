import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { AppError } from '#src/shared/app-error.ts';

export interface StoredFile {
  name: string;
  bytes: number;
  modifiedAt: Date;
}

/**
 * Files that are kept beside the database, in a folder or in the bucket of an S3 store. Their names look like
 * `messages/<stored name>.webp`. If the disk is full or the store is away, calls fail as AppError `unavailable`, with a time to wait.
 */
export interface FileStore {
  /** Stores a whole file, or replaces it. Once this returns, the file survives a power cut. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** @returns null when there is no such file */
  get(name: string): Promise<{ stream: Readable; bytes: number } | null>;
  head(name: string): Promise<Omit<StoredFile, 'name'> | null>;
  /** Removes files; missing ones are no error. */
  remove(names: readonly string[]): Promise<void>;
  /**
   * All files below a folder such as `messages`, or in the whole store (empty), in pieces: there may be millions. A folder may also
   * hold files that others put there.
   */
  list(folder: string): AsyncIterable<readonly StoredFile[]>;
  /** Fails unless the store can be reached and accepts our keys. */
  ping(): Promise<void>;
  /** Ends all requests under way. */
  close(): void;
}

/** The ending of a file that a folder is still writing. A crash leaves such a file; nobody reads it, and no backup includes it. */
export const PART_ENDING = '.part';
const PART = new RegExp(`(?:\\.[0-9a-f]{8})?\\${PART_ENDING}$`, 'u');
/** How many files a list gives at once. */
export const LIST_PIECE = 500;
const RETRY_AFTER_SECONDS = 30;

/** Allows no empty step, none that leads up, and no hidden one. */
const NAME = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/u;

/** A name for a part of a file. It has eight digits of its writer, so that processes that write the same file don't disturb each other. */
export const partOf = (name: string): string => `${name}.${randomBytes(4).toString('hex')}${PART_ENDING}`;
/** Also true for a part of an earlier version, which has no digits. */
export const isPart = (name: string): boolean => PART.test(name);
/** The name of the file that a part belongs to; any other name as it is. */
export const wholeNameOf = (name: string): string => name.replace(PART, '');

export const isName = (name: string): boolean => NAME.test(name);

/** Names come from our own code, so a bad one is our fault and must not reach a disk. */
export function requireName(name: string): void {
  if (!isName(name)) throw new Error('This is no name of a file');
}

export const unavailable = (cause: unknown): AppError =>
  new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS }, { cause });

/** A fault that the operator can mend; the message says how. */
export class FilesStartError extends Error {}
