import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { filesOf, MESSAGES_FOLDER, storedNameOf } from '#src/features/chat/message-files.store.ts';
import { PHOTOS_FOLDER, photoIdOf } from '#src/features/users/user-photos.store.ts';
import { type FileStore, wholeNameOf } from '#src/files/file-store.ts';
import { OWNER_FILE } from '#src/files/owned-files.ts';
import { AGREEMENTS, type Agreement, references } from './agreements.ts';
import { type Installation, withDatabase } from './connect.ts';
import { withFiles } from './stored-files.ts';
import { requireOurTables } from './tables.ts';

/** Files of one kind, and the rows that they belong to. */
interface FileKind {
  /** The name for such a file in messages about faults. */
  what: string;
  folder: string;
  /** The name of the row that a file belongs to; null when the file's name is not one of ours. */
  rowOf(file: string): string | null;
  /** The row's files. The row stores the size of the first one. */
  filesOf(row: string): readonly [string, ...string[]];
  /** Selects `name` and `bytes` of at most $2 rows after the name $1. */
  rows: string;
  /** Selects those of the names $1 that have a row. */
  known: string;
}

export const FILE_KINDS: readonly FileKind[] = [
  {
    ...{ what: 'an image of a message', folder: MESSAGES_FOLDER, rowOf: storedNameOf, filesOf },
    rows: 'select stored_name as name, bytes from message_files where stored_name > $1 order by 1 limit $2',
    known: 'select stored_name as name from message_files where stored_name = any($1)',
  },
  {
    ...{ what: 'a photo', folder: PHOTOS_FOLDER, rowOf: photoIdOf, filesOf: (photoId) => [photoId] },
    rows: `select photo_id::text as name, octet_length(image) as bytes from user_photos
      where stored_id = photo_id and photo_id::text > $1 order by 1 limit $2`,
    known: 'select photo_id::text as name from user_photos where photo_id = any($1::uuid[])',
  },
];

/** Faults of the files: their stored names or names. */
interface FileFindings {
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
async function verifyFiles(
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
      return { file, owner: rowOf(wholeNameOf(file)), isOld: Date.now() - modifiedAt.getTime() > UNDER_WAY_MS };
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

/** The results of the check: one line each, with ids and never with names. */
export interface Findings {
  /** Contradictions. */
  faults: string[];
  /** Faults that mend themselves, and what could not be checked. */
  notes: string[];
}

/** How many examples of each fault are named. */
const NAMED = 5;
/** The server removes a file right after its row, if no backup runs. */
const SECOND_LOOK_MS = 3_000;

/**
 * Checks that database, files and indexes agree, and changes nothing. It also works while Pressel runs: rows are read in one snapshot,
 * and files that seem missing or superfluous are checked in the database again.
 * @throws MaintenanceError when there is no database, or one of another version
 */
export const verify = (installation: Installation, secondLookMs = SECOND_LOOK_MS): Promise<Findings> =>
  withDatabase(installation, async (client) => {
    await requireOurTables(client);
    const findings: Findings = { faults: [], notes: [] };
    await verifyRows(client, findings);
    await verifyIndexes(client, findings);
    const { faults, notes } = findings;
    await withFiles(installation, async (store) => {
      for (const kind of FILE_KINDS) {
        const files = await verifyFiles(client, store, kind, secondLookMs);
        const { what, folder } = kind;
        if (files.missing.length > 0) faults.push(listed(`${what} is not there`, files.missing));
        if (files.short.length > 0) faults.push(listed(`${what} has another size than was stored`, files.short));
        if (files.foreign.length > 0) faults.push(listed(`a file in ${folder} is not Pressel’s`, files.foreign));
        if (files.left.length > 0) {
          notes.push(listed(`files in ${folder} without a row, which the server removes within hours`, files.left));
        }
      }
    });
    return findings;
  });

async function verifyRows(client: pg.Client, { faults }: Findings): Promise<void> {
  await client.query('begin transaction isolation level repeatable read read only');
  for (const agreement of [...AGREEMENTS, ...(await references(client))]) {
    const fault = await faultOf(client, agreement);
    if (fault !== null) faults.push(fault);
  }
  await client.query('commit');
}

async function faultOf(client: pg.Client, { fault, rows }: Agreement): Promise<string | null> {
  const found = await client.query<{ what: string; total: string }>(
    `select what, count(*) over () as total from (${rows}) wrong (what) limit ${NAMED}`,
  );
  const [first] = found.rows;
  return first === undefined
    ? null
    : listed(
        fault,
        found.rows.map(({ what }) => what),
        Number(first.total),
      );
}

const listed = (fault: string, some: readonly string[], total = some.length): string => {
  const rest = total - Math.min(total, NAMED);
  return `${fault}: ${some.slice(0, NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
};

/** The extension is missing, or this role may not use it. */
const UNAVAILABLE: readonly unknown[] = ['0A000', '42501', '58P01'];
/** Damaged data or a damaged index. */
const DAMAGED: readonly unknown[] = ['XX001', 'XX002'];

/** The query that reads each kind of table and index. It fails on damage, or returns it as a row. */
const READINGS: Readonly<Record<string, string>> = {
  heap: `select string_agg(distinct msg, '; ') as damage from verify_heapam($1::regclass) having count(*) > 0`,
  btree: 'select bt_index_check($1::regclass, true)',
  gin: 'select gin_index_check($1::regclass)',
};

/**
 * Reads indexes and tables page by page, by an extension that comes with PostgreSQL. It is created in a transaction that is rolled
 * back, so nothing of it stays.
 */
async function verifyIndexes(client: pg.Client, { faults, notes }: Findings): Promise<void> {
  await client.query('begin');
  try {
    await client.query('create extension if not exists amcheck schema pg_catalog');
    const { rows } = await client.query<{ name: string; kind: string }>(
      `select c.oid::regclass::text as name, a.amname as kind from pg_class c join pg_am a on a.oid = c.relam
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and c.relpersistence = 'p'
        and not exists (select from pg_index i where i.indexrelid = c.oid and not i.indisvalid)
        -- Since PostgreSQL 18.
        and (a.amname <> 'gin' or to_regprocedure('gin_index_check(regclass)') is not null) order by 1`,
    );
    for (const { name, kind } of rows) {
      const reading = READINGS[kind];
      const damage = reading === undefined ? null : await damageOf(client, reading, name);
      if (damage !== null) faults.push(`${kind === 'heap' ? 'table' : 'index'} ${name} is damaged: ${damage}`);
    }
  } catch (error) {
    if (!UNAVAILABLE.includes(codeOf(error))) throw error;
    notes.push(`indexes were not looked at: PostgreSQL has no amcheck for this role (${(error as Error).message})`);
  } finally {
    await client.query('rollback');
  }
}

async function damageOf(client: pg.Client, reading: string, name: string): Promise<string | null> {
  await client.query('savepoint reading');
  try {
    const { rows } = await client.query<{ damage?: string }>(reading, [name]);
    await client.query('release reading');
    return rows[0]?.damage ?? null;
  } catch (error) {
    if (!DAMAGED.includes(codeOf(error))) throw error;
    await client.query('rollback to reading');
    return (error as Error).message;
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
