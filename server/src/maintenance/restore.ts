import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type FileStore, isName } from '#src/files/file-store.ts';
import { readMigrations } from '../db/migrations.ts';
import { expectFiles, takeRestoredFiles } from '../db/restored-files.ts';
import { type Manifest, readManifest, type StoredFile } from './backup.ts';
import { type Installation, MaintenanceError, requireNobodyElse, withOwnDatabase } from './connect.ts';
import { forEach, hasContent, withFiles } from './stored-files.ts';
import { copied, listTables } from './tables.ts';

export interface RestoreOptions {
  /** Replaces existing data. Without it a database with accounts is refused. */
  replace: boolean;
}

/**
 * Replaces the database by a backup, in one transaction: the old data stays until the whole backup is stored and counted.
 * Missing files are stored before it. Files with other content change with it: the owner file, and damaged ones. Other
 * files never change, so rows find theirs at any moment. A backup of an older Pressel gets the tables that it had; the
 * next start brings them up to this version.
 * @throws MaintenanceError; DataInUseError while the server runs
 */
export async function restoreBackup(
  installation: Installation,
  dir: string,
  { replace }: RestoreOptions,
): Promise<Manifest> {
  const manifest = await readManifest(dir);
  const known = readMigrations();
  if (manifest.migrations > known.length) {
    throw new MaintenanceError(
      `The backup was made by a newer Pressel (${manifest.version}). Restore it with that one.`,
    );
  }
  await withOwnDatabase(installation, (client) =>
    withFiles(installation, async (files) => {
      await requireNobodyElse(client);
      await requireOurs(client, known[0]?.hash ?? '');
      if (!replace && (await hasAccounts(client))) {
        throw new MaintenanceError(
          'The database has accounts already. Restore into an empty one, or add --replace to lose what is there.',
        );
      }
      const { missing, changed } = await compareFiles(files, manifest);
      if (!replace && changed.length > 0) {
        throw new MaintenanceError(
          'The files there are of another installation, or damaged. Restore into an empty folder or bucket, or add --replace to lose them.',
        );
      }
      const contentOf = (file: StoredFile) => readFile(join(dir, file.file));
      // Nobody misses these files yet. The server later removes those of rows that the restore deletes.
      await forEach(missing, async (file) => files.put(nameOf(file), await contentOf(file)));
      await client.query('begin');
      await makeTables(client, known.slice(0, manifest.migrations));
      await requireEveryTable(client, manifest);
      for (const table of manifest.tables) await fillTable(client, dir, table);
      await expectFiles(
        client,
        await Promise.all(changed.map(async (file) => ({ name: nameOf(file), content: await contentOf(file) }))),
      );
      await client.query('commit');
      await takeRestoredFiles(drizzle(client), files.put);
    }),
  );
  return manifest;
}

/** Everything in the schema is dropped. Accounts don't show whether another program has tables there, so check that first. */
async function requireOurs(client: pg.Client, firstMigration: string): Promise<void> {
  const { rows } = await client.query<{ migrations: string | null }>(
    `select to_regclass('drizzle.__drizzle_migrations')::text as migrations`,
  );
  if (rows[0]?.migrations != null) {
    const ours = await client.query('select 1 from drizzle.__drizzle_migrations where hash = $1', [firstMigration]);
    if (ours.rowCount !== 0) return;
  }
  // Parts of extensions don't count.
  const { rowCount } = await client.query(
    `select 1 from pg_class c where relnamespace = to_regnamespace('public') and relkind in ('r', 'p', 'v', 'm', 'f')
      and not exists (select 1 from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')`,
  );
  if (rowCount !== 0) {
    throw new MaintenanceError('The database holds tables that are not Pressel’s. Set DATABASE_URL to an empty one.');
  }
}

async function hasAccounts(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ users: string | null }>(`select to_regclass('public.users')::text as users`);
  if (rows[0]?.users == null) return false;
  const { rowCount } = await client.query('select 1 from users limit 1');
  return rowCount === 1;
}

async function makeTables(client: pg.Client, migrations: ReturnType<typeof readMigrations>): Promise<void> {
  await client.query('drop schema if exists public, drizzle cascade');
  await client.query('create schema public');
  await client.query('create schema drizzle');
  // The same table as the migrator makes; it goes on from here.
  await client.query(
    'create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)',
  );
  for (const { sql, hash, folderMillis } of migrations) {
    for (const statement of sql) await client.query(statement);
    await client.query('insert into drizzle.__drizzle_migrations (hash, created_at) values ($1, $2)', [
      hash,
      folderMillis,
    ]);
  }
}

/** A list without one table would restore it empty: without accounts, the next person to sign up becomes administrator. */
async function requireEveryTable(client: pg.Client, { tables }: Manifest): Promise<void> {
  const listed = new Set(tables.map(({ name }) => name));
  const missing = (await listTables(client)).find(({ name }) => !listed.has(name));
  if (missing !== undefined) throw new MaintenanceError(`The backup is damaged: it has no table ${missing.name}.`);
}

async function fillTable(client: pg.Client, dir: string, table: Manifest['tables'][0]): Promise<void> {
  const writing = client.query(copyFrom(`copy ${copied(client, table)} from stdin`));
  await pipeline(createReadStream(join(dir, table.file)), writing);
  if (writing.rowCount !== table.rows) {
    throw new MaintenanceError(`The backup is damaged: ${table.file} has ${writing.rowCount} rows of ${table.rows}.`);
  }
}

/** The changes that a restore makes to files: it adds missing ones and replaces those with other content. */
interface FileChanges {
  missing: StoredFile[];
  changed: StoredFile[];
}

/** Names that are not ours belong to files that somebody put into the folder of an older version. */
async function compareFiles(files: FileStore, backup: Manifest): Promise<FileChanges> {
  const changes: FileChanges = { missing: [], changed: [] };
  await forEach(backup.files, async (file) => {
    const name = nameOf(file);
    const isSame = isName(name) ? await hasContent(files, name, file) : true;
    if (isSame === null) changes.missing.push(file);
    else if (!isSame) changes.changed.push(file);
  });
  return changes;
}

const nameOf = ({ file }: StoredFile): string => file.slice('files/'.length);
