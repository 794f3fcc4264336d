import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type FileStore, PART_ENDING } from '#src/files/file-store.ts';
import { OWNER_FILE } from '#src/files/owned-files.ts';
import type { FileKind } from './file-kinds.ts';

/** What is wrong with the files: their stored names or names. */
export interface FileFindings {
  missing: string[];
  /** Files whose size differs from the stored one. */
  short: string[];
  /** Files that Pressel didn't store. */
  foreign: string[];
  /** Files without a row: the server removes them by itself. */
  left: string[];
}

const AT_ONCE = 500;
/** A store in a network handles this many requests side by side. */
const ASKED_AT_ONCE = 50;
/** A younger file may be about to get its row. */
const UNDER_WAY_MS = 3_600_000;

/**
 * Compares files with their rows, even while a server stores and removes some. A file is written before its row and
 * removed after it, so apparent faults are checked in the database again.
 * @param secondLookMs how long to wait for files that have just lost their row
 */
export async function verifyFiles(
  client: pg.Client,
  files: FileStore,
  kind: FileKind,
  secondLookMs: number,
): Promise<FileFindings> {
  const named = await lookForRows(client, files, kind);
  const there = await lookForFiles(client, files, kind);
  if (there.left.length > 0) await sleep(secondLookMs);
  const left: string[] = [];
  for (const file of there.left) if ((await files.head(`${kind.folder}/${file}`)) !== null) left.push(file);
  return { ...named, foreign: there.foreign, left };
}

/** Every row must have its files. */
async function lookForRows(
  client: pg.Client,
  files: FileStore,
  { folder, filesOf, rows: select, known }: FileKind,
): Promise<Pick<FileFindings, 'missing' | 'short'>> {
  const found = { missing: [] as string[], short: [] as string[] };
  let last = '';
  for (let isMore = true; isMore; ) {
    const { rows } = await client.query<{ name: string; bytes: number }>(select, [last, AT_ONCE]);
    last = rows.at(-1)?.name ?? last;
    isMore = rows.length === AT_ONCE;
    const suspects = new Map<string, 'missing' | 'short'>();
    const look = async ({ name, bytes }: (typeof rows)[0]) => {
      const found = await Promise.all(filesOf(name).map((file) => files.head(`${folder}/${file}`)));
      if (found.includes(null)) suspects.set(name, 'missing');
      else if (found[0]?.bytes !== bytes) suspects.set(name, 'short');
    };
    for (let from = 0; from < rows.length; from += ASKED_AT_ONCE) {
      await Promise.all(rows.slice(from, from + ASKED_AT_ONCE).map(look));
    }
    const stored = await storedOf(client, known, [...suspects.keys()]);
    for (const [name, what] of suspects) if (stored.has(name)) found[what].push(name);
  }
  return found;
}

/** Every file must have its row. */
async function lookForFiles(
  client: pg.Client,
  files: FileStore,
  { folder, rowOf, known }: FileKind,
): Promise<Pick<FileFindings, 'foreign' | 'left'>> {
  const found = { foreign: [] as string[], left: [] as string[] };
  for await (const piece of files.list(folder)) {
    const named = piece.map(({ name, modifiedAt }) => {
      const file = name.slice(folder.length + 1);
      // While a file is being written, its name has one more ending.
      const whole = file.endsWith(PART_ENDING) ? file.slice(0, -PART_ENDING.length) : file;
      return { file, owner: rowOf(whole), isOld: Date.now() - modifiedAt.getTime() > UNDER_WAY_MS };
    });
    const stored = await storedOf(
      client,
      known,
      named.flatMap(({ owner }) => owner ?? []),
    );
    for (const { file, owner, isOld } of named) {
      if (file === OWNER_FILE) continue;
      if (owner === null) found.foreign.push(file);
      else if (!stored.has(owner) && isOld) found.left.push(file);
    }
  }
  return found;
}

async function storedOf(client: pg.Client, known: string, names: readonly string[]): Promise<Set<string>> {
  if (names.length === 0) return new Set();
  const { rows } = await client.query<{ name: string }>(known, [names]);
  return new Set(rows.map(({ name }) => name));
}
