import { createHash } from 'node:crypto';
import { type FileStore, isName, isPart, type StoredFile } from '#src/files/file-store.ts';
import { openFiles } from '#src/files/open-files.ts';
import { AppError } from '../shared/app-error.ts';
import { type Installation, MaintenanceError } from './connect.ts';

/** The settings that say where an installation keeps its files. */
export type FileLocation = Pick<Installation, 'dataDir' | 's3'>;

/** A store answers within milliseconds, most of them waiting. */
const AT_ONCE = 8;
/** Failures are thrown, so nothing needs a log. */
const QUIET = { error: () => undefined, warn: () => undefined, info: () => undefined };

/** Works with the files of an installation. @throws MaintenanceError when they can't be reached */
export async function withFiles<T>(place: FileLocation, work: (files: FileStore) => Promise<T>): Promise<T> {
  const files = await openFiles(place, QUIET);
  try {
    return await work(files);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    const where = place.s3 === null ? `The disk of ${place.dataDir}` : `The S3 store of FILES_URL`;
    throw new MaintenanceError(`${where} failed: ${reason}. When that is mended, run the same command again.`, {
      cause: error,
    });
  } finally {
    files.close();
  }
}

/** Runs `work` for each item, several at once. The first failure ends it. */
export async function forEach<T>(list: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  const all = list[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = all.next(); next.done !== true; next = all.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** All files of a store, in pieces: only complete files that Pressel stored. */
export async function* piecesOf(files: FileStore): AsyncGenerator<StoredFile[]> {
  for await (const piece of files.list('')) {
    yield piece.filter(({ name }) => isName(name) && !isPart(name));
  }
}

/** Whether a store has a file with this content; null when it has no file of this name. */
export async function hasContent(
  files: FileStore,
  name: string,
  { bytes, sha256 }: { bytes: number; sha256: string },
): Promise<boolean | null> {
  const found = await files.get(name);
  if (found === null) return null;
  if (found.bytes === bytes) return (await digestOf(found.stream)).sha256 === sha256;
  found.stream.destroy();
  return false;
}

/** Size and checksum of a stream's content. */
export async function digestOf(stream: AsyncIterable<Uint8Array>): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
