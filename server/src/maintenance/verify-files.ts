import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type FileStore, PART_ENDING } from '../platform/files/file-store.ts';

/** How files of messages are named; the chat knows. */
export interface MessageFileNames {
  /** Where they are in the store. */
  readonly folder: string;
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
/** A store in a network answers this many questions side by side. */
const ASKED_AT_ONCE = 50;
/** A younger file may be about to get its row. */
const UNDER_WAY_MS = 3_600_000;

/**
 * Compares the files of messages with their rows, also while a server stores and removes some: a file is written before its row and
 * removed after it, so what looks wrong is asked of the database again.
 * @param secondLookMs how long files are given that just lost their row
 */
export async function verifyFiles(
  client: pg.Client,
  files: FileStore,
  names: MessageFileNames,
  secondLookMs: number,
): Promise<FileFindings> {
  const named = await lookForRows(client, files, names);
  const there = await lookForFiles(client, files, names);
  if (there.left.length > 0) await sleep(secondLookMs);
  const left: string[] = [];
  for (const file of there.left) if ((await files.head(`${names.folder}/${file}`)) !== null) left.push(file);
  return { ...named, foreign: there.foreign, left };
}

/** Every row must have its files. */
async function lookForRows(
  client: pg.Client,
  files: FileStore,
  { folder, filesOf }: MessageFileNames,
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
    const look = async ({ name, bytes }: (typeof rows)[0]) => {
      const [image, thumbnail] = await Promise.all(filesOf(name).map((file) => files.head(`${folder}/${file}`)));
      if (image == null || thumbnail == null) suspects.set(name, 'missing');
      else if (image.bytes !== bytes) suspects.set(name, 'short');
    };
    for (let from = 0; from < rows.length; from += ASKED_AT_ONCE) {
      await Promise.all(rows.slice(from, from + ASKED_AT_ONCE).map(look));
    }
    const stored = await storedOf(client, [...suspects.keys()]);
    for (const [name, what] of suspects) if (stored.has(name)) found[what].push(name);
  }
  return found;
}

/** Every file must have its row. */
async function lookForFiles(
  client: pg.Client,
  files: FileStore,
  { folder, storedNameOf, ownerFile }: MessageFileNames,
): Promise<Pick<FileFindings, 'foreign' | 'left'>> {
  const found = { foreign: [] as string[], left: [] as string[] };
  for await (const piece of files.list(folder)) {
    const named = piece.map(({ name, modifiedAt }) => {
      const file = name.slice(folder.length + 1);
      // While it is being written a file has an ending more.
      const whole = file.endsWith(PART_ENDING) ? file.slice(0, -PART_ENDING.length) : file;
      return { file, owner: storedNameOf(whole), isOld: Date.now() - modifiedAt.getTime() > UNDER_WAY_MS };
    });
    const stored = await storedOf(
      client,
      named.flatMap(({ owner }) => owner ?? []),
    );
    for (const { file, owner, isOld } of named) {
      if (file === ownerFile) continue;
      if (owner === null) found.foreign.push(file);
      else if (!stored.has(owner) && isOld) found.left.push(file);
    }
  }
  return found;
}

async function storedOf(client: pg.Client, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const { rows } = await client.query<{ name: string }>(
    'select stored_name as name from message_files where stored_name = any($1)',
    [names],
  );
  return new Set(rows.map(({ name }) => name));
}
