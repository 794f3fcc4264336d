import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

/** How files of messages are named; the chat knows. */
export interface MessageFileNames {
  /** The stored name that a file belongs to; null when it is not named like one of them. */
  storedNameOf(file: string): string | null;
  /** The image, whose size is in its row, and its thumbnail. */
  filesOf(storedName: string): readonly [image: string, thumbnail: string];
  /** The file that says whose the folder is. */
  readonly ownerFile: string;
}

/** What is wrong with the files, by stored name or name. */
export interface FileFindings {
  missing: string[];
  /** Not as long as when they were stored. */
  short: string[];
  /** Not put there by Pressel. */
  foreign: string[];
  /** Without a message: the server removes them by itself. */
  left: string[];
}

const AT_ONCE = 500;
/** A younger file may be about to get its row. */
const UNDER_WAY_MS = 3_600_000;

/**
 * Compares the files of messages with their rows, also while a server stores and removes some: a file is written before its row and
 * removed after it, so what looks wrong is asked of the database again.
 * @param secondLookMs how long files are given that just lost their row
 */
export async function verifyFiles(
  client: pg.Client,
  folder: string,
  names: MessageFileNames,
  secondLookMs: number,
): Promise<FileFindings> {
  const named = await lookForRows(client, folder, names);
  const there = await lookForFiles(client, folder, names);
  if (there.left.length > 0) await sleep(secondLookMs);
  const left = (
    await Promise.all(there.left.map(async (file) => ((await sizeOf(join(folder, file))) === null ? [] : file)))
  ).flat();
  return { ...named, foreign: there.foreign, left };
}

/** Every row must have its files. */
async function lookForRows(
  client: pg.Client,
  folder: string,
  { filesOf }: MessageFileNames,
): Promise<Pick<FileFindings, 'missing' | 'short'>> {
  const found = { missing: [] as string[], short: [] as string[] };
  let last = '';
  for (let isMore = true; isMore; ) {
    const { rows } = await client.query<{ name: string; bytes: number }>(
      'select stored_name as name, bytes from message_files where stored_name > $1 order by 1 limit $2',
      [last, AT_ONCE],
    );
    last = rows.at(-1)?.name ?? last;
    isMore = rows.length === AT_ONCE;
    const suspects = new Map<string, 'missing' | 'short'>();
    for (const { name, bytes } of rows) {
      const [image, thumbnail] = await Promise.all(filesOf(name).map((file) => sizeOf(join(folder, file))));
      if (image === null || thumbnail === null) suspects.set(name, 'missing');
      else if (image !== bytes) suspects.set(name, 'short');
    }
    const stored = await storedOf(client, [...suspects.keys()]);
    for (const [name, what] of suspects) if (stored.has(name)) found[what].push(name);
  }
  return found;
}

/** Every file must have its row. */
async function lookForFiles(
  client: pg.Client,
  folder: string,
  { storedNameOf, ownerFile }: MessageFileNames,
): Promise<Pick<FileFindings, 'foreign' | 'left'>> {
  const found = { foreign: [] as string[], left: [] as string[] };
  for await (const files of piecesOf(folder)) {
    // While it is being written a file has an ending more.
    const owners = new Map(files.map((file) => [file, storedNameOf(file.replace(/\.part$/u, ''))]));
    const stored = await storedOf(
      client,
      [...owners.values()].filter((name) => name !== null),
    );
    for (const [file, name] of owners) {
      if (file === ownerFile) continue;
      if (name === null) found.foreign.push(file);
      else if (!stored.has(name) && (await isOld(join(folder, file)))) found.left.push(file);
    }
  }
  return found;
}

/** Names of the files in a folder, some at a time: there may be millions. */
async function* piecesOf(folder: string): AsyncGenerator<string[]> {
  let piece: string[] = [];
  try {
    for await (const { name } of await opendir(folder, { bufferSize: AT_ONCE })) {
      piece.push(name);
      if (piece.length < AT_ONCE) continue;
      yield piece;
      piece = [];
    }
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  yield piece;
}

async function storedOf(client: pg.Client, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const { rows } = await client.query<{ name: string }>(
    'select stored_name as name from message_files where stored_name = any($1)',
    [names],
  );
  return new Set(rows.map(({ name }) => name));
}

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** Null for a file that is not there. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

const isOld = async (path: string): Promise<boolean> => {
  const info = await stat(path).catch(() => null);
  return info !== null && Date.now() - info.mtimeMs > UNDER_WAY_MS;
};
