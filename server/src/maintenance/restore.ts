import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { readMigrations } from '../db/migrations.ts';
import { disk, expectFiles, filePlaces, takeRestoredFiles } from '../db/restored-files.ts';
import { copyDurably, syncFolder, syncFolders } from '../shared/durable-files.ts';
import { type Installation, requireNobodyElse, withOwnDatabase } from './connect.ts';
import { MaintenanceError } from './maintenance-error.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { copied, listTables } from './tables.ts';

export interface RestoreOptions {
  /** Replaces what is there. Without it a database with accounts is refused. */
  replace: boolean;
}

/**
 * Puts a backup in the place of the database. What is there stays until all of the backup is stored and counted: one
 * transaction, after which its files take their place. A backup of an older Pressel gets the tables that it had, which the next start brings up to date.
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
  await withOwnDatabase(installation, async (client) => {
    await requireNobodyElse(client);
    await requireOurs(client, known[0]?.hash ?? '');
    if (!replace && (await hasAccounts(client))) {
      throw new MaintenanceError(
        'The database has accounts already. Restore into an empty one, or add --replace to lose what is there.',
      );
    }
    // Its rows may be those that stay.
    await takeRestoredFiles(client, installation.dataDir);
    await client.query('begin');
    await makeTables(client, known.slice(0, manifest.migrations));
    await requireEveryTable(client, manifest);
    for (const table of manifest.tables) await fillTable(client, dir, table);
    await bringFiles(installation.dataDir, dir, manifest);
    await expectFiles(client);
    await client.query('commit');
    await takeRestoredFiles(client, installation.dataDir);
  });
  return manifest;
}

/** All that is in the schema goes. What another program put there can't be told by accounts, and nobody asked to lose it. */
async function requireOurs(client: pg.Client, firstMigration: string): Promise<void> {
  const { rows } = await client.query<{ migrations: string | null }>(
    `select to_regclass('drizzle.__drizzle_migrations')::text as migrations`,
  );
  if (rows[0]?.migrations != null) {
    const ours = await client.query('select 1 from drizzle.__drizzle_migrations where hash = $1', [firstMigration]);
    if (ours.rowCount !== 0) return;
  }
  // Parts of extensions are everybody's.
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
  // As the migrator makes it, which goes on from here.
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

/** A list that leaves one out would restore it empty: without accounts, whoever signs up next becomes administrator. */
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

/** Brings the uploads beside their place, so that only renames are left once the database is stored. */
async function bringFiles(dataDir: string, dir: string, { files }: Manifest): Promise<void> {
  const { coming, going } = filePlaces(dataDir);
  for (const path of [coming, going]) await disk.rm(path, { recursive: true, force: true });
  await mkdir(coming, { recursive: true, mode: 0o700 });
  for (const { file } of files) {
    const target = join(coming, file.slice('files/'.length));
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copyDurably(join(dir, file), target);
  }
  await syncFolders(coming);
  await syncFolder(dataDir);
}
