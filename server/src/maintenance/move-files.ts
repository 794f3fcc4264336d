import { createHash } from 'node:crypto';
import { buffer, text } from 'node:stream/consumers';
import type { FileStore } from '#src/files/file-store.ts';
import { type Installation, MaintenanceError, whileStopped } from './connect.ts';
import type { Say } from './move-database.ts';
import { forEach, hasContent, piecesOf, withFiles } from './stored-files.ts';

const SAY_EVERY = 1_000;

export interface MoveFilesOptions {
  /** Moves from the bucket to the folder, instead of the other way. */
  isBack: boolean;
  /** Removes the files from where they were, once all are compared. */
  removes: boolean;
  /** The files that name the owner of the others in their folders. */
  ownerFiles: readonly string[];
  say: Say;
}

export interface MovedFiles {
  files: number;
  bytes: number;
  /** How many of them this run copied. */
  brought: number;
}

/**
 * Copies all files of an installation from its folder to its bucket, or back. A file that is there with the same content is not copied
 * again, so an interrupted run is simply repeated. Each file is read back and compared, because no store is trusted here.
 * @throws MaintenanceError
 */
export async function moveFiles(installation: Installation, options: MoveFilesOptions): Promise<MovedFiles> {
  if (installation.s3 === null) {
    throw new MaintenanceError('Set FILES_URL and the variables of S3 to the bucket first, for a way back too.');
  }
  const move = () =>
    withFiles({ ...installation, s3: null }, (folder) =>
      withFiles(installation, (bucket) =>
        options.isBack ? bringAll(bucket, folder, options) : bringAll(folder, bucket, options),
      ),
    );
  // A running server reads the files that are to be removed.
  return options.removes ? whileStopped(installation, move) : move();
}

async function bringAll(
  from: FileStore,
  to: FileStore,
  { removes, ownerFiles, say }: MoveFilesOptions,
): Promise<MovedFiles> {
  await requireSameOwner(from, to, ownerFiles);
  const moved = new Map<string, number>();
  let brought = 0;
  const bring = async (name: string): Promise<void> => {
    const found = await from.get(name);
    // The file was deleted meanwhile.
    if (found === null) return;
    const content = await buffer(found.stream);
    const expected = { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
    if ((await hasContent(to, name, expected)) !== true) {
      await to.put(name, content);
      if ((await hasContent(to, name, expected)) !== true) {
        throw new MaintenanceError(`${name} is not what was stored. Look after the store, then run the command again.`);
      }
      brought += 1;
    }
    moved.set(name, content.length);
    if (moved.size % SAY_EVERY === 0) say(`${moved.size} files`);
  };
  // They come first, so that the files of an interrupted run have a known owner.
  for (const name of ownerFiles) await bring(name);
  for await (const piece of piecesOf(from)) {
    await forEach(
      piece.filter(({ name }) => !ownerFiles.includes(name)),
      ({ name }) => bring(name),
    );
  }
  await requireAll(to, moved);
  if (removes) await removeAll(from, moved, ownerFiles);
  return { files: moved.size, bytes: [...moved.values()].reduce((sum, bytes) => sum + bytes, 0), brought };
}

const OTHERS =
  'The place to move to holds files of another installation. Take an empty bucket, or another folder of it.';

/** Files of two installations must not mix: each one's sweep would remove the other's. */
async function requireSameOwner(from: FileStore, to: FileStore, ownerFiles: readonly string[]): Promise<void> {
  // Nothing mixes when nothing is brought: an earlier run has removed everything.
  if ((await isEmpty(to)) || (await isEmpty(from))) return;
  let known = 0;
  for (const name of ownerFiles) {
    const [own, theirs] = await Promise.all([from, to].map((files) => textOf(files, name)));
    // A run that was interrupted at its very end has removed one of the owner files.
    const isRemoved = own === null && (await isEmpty(from, ownerFiles));
    if (theirs !== null && theirs !== own && !isRemoved) throw new MaintenanceError(OTHERS);
    if (theirs !== null && theirs === own) known += 1;
  }
  if (known === 0) throw new MaintenanceError(OTHERS);
}

async function textOf(files: FileStore, name: string): Promise<string | null> {
  const found = await files.get(name);
  return found === null ? null : text(found.stream);
}

/** @param exceptFor names of files that don't count */
async function isEmpty(files: FileStore, exceptFor: readonly string[] = []): Promise<boolean> {
  for await (const piece of piecesOf(files)) if (piece.some(({ name }) => !exceptFor.includes(name))) return false;
  return true;
}

/** Requires that each file is listed with its size, which is how a server finds it later. */
async function requireAll(files: FileStore, moved: ReadonlyMap<string, number>): Promise<void> {
  let listed = 0;
  for await (const piece of piecesOf(files)) {
    listed += piece.filter(({ name, bytes }) => moved.get(name) === bytes).length;
  }
  if (listed !== moved.size) {
    throw new MaintenanceError(`Of ${moved.size} files ${listed} are listed there. Run the command again.`);
  }
}

/** Removes the owner files last: without them nobody would know the owner of the rest. */
async function removeAll(
  from: FileStore,
  moved: ReadonlyMap<string, number>,
  ownerFiles: readonly string[],
): Promise<void> {
  for await (const piece of piecesOf(from)) {
    const names = piece.map(({ name }) => name);
    await from.remove(names.filter((name) => moved.has(name) && !ownerFiles.includes(name)));
  }
  await from.remove(ownerFiles.filter((name) => moved.has(name)));
}
