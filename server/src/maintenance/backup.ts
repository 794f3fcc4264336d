import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import * as z from 'zod';
import { BACKUP_LOCK } from '#src/db/locks.ts';
import { takeRestoredFiles } from '#src/db/restored-files.ts';
import type { FileStore } from '#src/files/file-store.ts';
import { syncFolder, syncFolders } from '#src/shared/durable-files.ts';
import { type Installation, MaintenanceError, withDatabase } from './connect.ts';
import { digestOf, forEach, piecesOf, withFiles } from './stored-files.ts';
import { copied, listTables, type Table } from './tables.ts';

export const MANIFEST = 'manifest.json';

const storedFile = z.object({
  /** Path below the backup's folder, with slashes. Line breaks are forbidden: they could hide a `..`. */
  file: z.string().regex(/^(?!\/)(?!.*\.\.)[^\\\p{Cc}]+$/u),
  bytes: z.int(),
  /** SHA-256, hexadecimal. */
  sha256: z.string(),
});
export type StoredFile = z.infer<typeof storedFile>;

/** The list of a backup's contents. It is written last: a folder without it is no backup. */
const manifest = z.object({
  format: z.literal(1),
  /** The version of Pressel that made it. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  /** How many migrations had been applied to the tables. */
  migrations: z.int().min(1),
  /** Ordered so that rows come after the rows they refer to. */
  tables: z.array(storedFile.extend({ name: z.string(), columns: z.array(z.string()), rows: z.int() })),
  /** Uploaded files, which are kept beside the database. */
  files: z.array(storedFile),
});
export type Manifest = z.infer<typeof manifest>;

/** @throws MaintenanceError when the folder holds no whole backup */
export async function readManifest(dir: string): Promise<Manifest> {
  const text = await readFile(join(dir, MANIFEST), 'utf8').catch(() => {
    throw new MaintenanceError(`${dir} holds no whole backup: it has no ${MANIFEST}.`);
  });
  const parsed = manifest.safeParse(tryJson(text));
  if (!parsed.success) throw new MaintenanceError(`${join(dir, MANIFEST)} is damaged, or of another kind of backup.`);
  for (const stored of [...parsed.data.tables, ...parsed.data.files]) await requireWhole(dir, stored);
  return parsed.data;
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function requireWhole(dir: string, { file, sha256 }: StoredFile): Promise<void> {
  const found = await digestOf(createReadStream(join(dir, file))).catch(() => null);
  if (found?.sha256 !== sha256) {
    throw new MaintenanceError(`The backup is damaged: ${file} is ${found === null ? 'missing' : 'not what it was'}.`);
  }
}

/** File in the data folder that says when the last backup was written. */
export const LAST_BACKUP = 'last-backup';
/** Folder of uploads in a backup, beside the tables. */
const FILES = 'files';

/**
 * Writes a backup into a new folder, whether or not the server runs. All tables are copied in one snapshot of the database
 * (REPEATABLE READ): a change during the copy is in all of them or in none. Files come after the snapshot. All files
 * of its rows are there, because nobody removes any meanwhile; additional files do no harm. Live sockets and sessions are
 * left out: a restore must not sign in users who have signed out since.
 * @throws MaintenanceError
 */
export async function writeBackup(installation: Installation, dir: string, version: string): Promise<Manifest> {
  if (existsSync(dir)) throw new MaintenanceError(`${dir} is there already. Name a folder that is to be made.`);
  // The backup would include itself, and be lost together with the data.
  const within = relative(installation.dataDir, dir);
  if (!within.startsWith('..') && !isAbsolute(within)) {
    throw new MaintenanceError(`${dir} is inside ${installation.dataDir}. Name a folder outside of it.`);
  }
  if (!existsSync(dirname(dir))) throw new MaintenanceError(`${dirname(dir)} is not there. Make it first.`);
  // The backup is made under another name, so a folder under the final name is always whole.
  const unfinished = join(dirname(dir), `.${basename(dir)}.unfinished`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  try {
    await mkdir(join(unfinished, 'tables'), { mode: 0o700 });
    const content = await withDatabase(installation, (client) =>
      withFiles(installation, async (files) => {
        await takeRestoredFiles(drizzle(client), files.put);
        // The lock ends with the connection.
        await client.query('select pg_advisory_lock($1)', [BACKUP_LOCK]);
        const tables = await copyTables(client, unfinished);
        return { ...tables, files: await copyFiles(files, join(unfinished, FILES)) };
      }),
    );
    const manifest: Manifest = { format: 1, version, createdAt: new Date().toISOString(), ...content };
    const handle = await open(join(unfinished, MANIFEST), 'wx', 0o600);
    await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
    await handle.sync();
    await handle.close();
    await syncFolders(unfinished);
    await rename(unfinished, dir);
    await syncFolder(dirname(dir));
    // Lets `status` say when the last backup was made. The backup is whole without it.
    await writeFile(join(installation.dataDir, LAST_BACKUP), `${manifest.createdAt}\n`).catch(() => undefined);
    return manifest;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function copyTables(client: pg.Client, dir: string): Promise<Pick<Manifest, 'tables' | 'migrations'>> {
  await client.query('begin transaction isolation level repeatable read read only');
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int as count from drizzle.__drizzle_migrations',
  );
  const tables: Manifest['tables'] = [];
  for (const table of await listTables(client)) tables.push(await copyTable(client, dir, table));
  await client.query('commit');
  return { tables, migrations: rows[0]?.count ?? 0 };
}

async function copyTable(client: pg.Client, dir: string, { name, columns }: Table): Promise<Manifest['tables'][0]> {
  const file = `tables/${name}.copy`;
  const reading = client.query(copyTo(`copy ${copied(client, { name, columns })} to stdout`));
  // Flushed to the disk, because a finished backup must survive a power cut.
  await pipeline(reading, createWriteStream(join(dir, file), { flags: 'wx', mode: 0o600, flush: true }));
  return { name, columns, rows: reading.rowCount ?? 0, file, ...(await digestOf(createReadStream(join(dir, file)))) };
}

async function copyFiles(files: FileStore, to: string): Promise<StoredFile[]> {
  const copies: StoredFile[] = [];
  const copy = async (name: string): Promise<void> => {
    const found = await files.get(name);
    // The file was removed meanwhile, so it has no row: files with rows stay while a backup runs.
    if (found === null) return;
    const target = join(to, ...name.split('/'));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await pipeline(found.stream, createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }));
    copies.push({ file: `${FILES}/${name}`, ...(await digestOf(createReadStream(target))) });
  };
  for await (const piece of piecesOf(files)) await forEach(piece, ({ name }) => copy(name));
  return copies;
}
