import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { inject } from 'vitest';
import { type Database, openDatabase } from '#src/db/connect.ts';
import { uuidV7 } from '#src/shared/ids.ts';

/** A migrated, empty database in the tests' PostgreSQL, which is copied. */
export const TEMPLATE = 'pressel_template';
/** The statement that copies it. Files are copied as they are: page by page, which is the default, takes five times as much CPU time. */
export const copyStatement = (name: string): string =>
  `create database ${name} template ${TEMPLATE} strategy file_copy`;

interface TestDatabase {
  database: Database;
  /** The size of its tables and indexes, with deleted rows: nobody cleans up. */
  bytes(): Promise<number>;
  /** Deletes all rows and keeps the tables. */
  empty(): Promise<void>;
}

/** Copying takes longer than emptying: databases that no test holds are kept as long as this process and the server live. */
const spare: TestDatabase[] = [];

/** A test of thousands of rows leaves more than this. Each later test would read through what is left of them. */
const KEPT_MAX_BYTES = 6_000_000;

/** An empty database that nobody else uses. Closing it gives it back. */
export async function openTestDatabase(): Promise<Database> {
  const last = spare.pop();
  const used = last !== undefined && (await last.bytes()) <= KEPT_MAX_BYTES ? last : undefined;
  await used?.empty();
  const entry = used ?? (await openCopy());
  return { ...entry.database, close: async () => void spare.push(entry) };
}

/** A database with other limits than the product's. It is not kept: closing it really closes it. */
export const openStrictDatabase = async (limits: pg.PoolConfig): Promise<Database> => (await openCopy(limits)).database;

/** Makes a migrated, empty database that stays until the tests' PostgreSQL ends. @returns its `DATABASE_URL` */
export async function makeGivenDatabase(): Promise<string> {
  const name = `pressel_${uuidV7().replaceAll('-', '')}`;
  await administer(copyStatement(name));
  return urlOf(name);
}

/**
 * Gives a data directory the bundled database that the first start of a server makes there. A copy takes a fraction of the time of
 * `initdb` and all migrations. Where the first start itself is the point, leave the directory empty.
 */
export async function copyDataFolder(dataDir: string): Promise<void> {
  // Unlike Node's copy it keeps the owner, who may be another user than this one.
  await promisify(execFile)('cp', ['-a', inject('dataFolder'), join(dataDir, 'postgres')]);
}

/** The `DATABASE_URL` of a database in the tests' PostgreSQL. */
export const urlOf = (name: string): string => {
  const { user, host, port } = inject('cluster');
  return `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(String(host))}`;
};

async function openCopy(limits: pg.PoolConfig = {}): Promise<TestDatabase> {
  const name = `pressel_${uuidV7().replaceAll('-', '')}`;
  await administer(copyStatement(name));
  const failures: Error[] = [];
  const connection = { ...inject('cluster'), ...limits, database: name };
  const database = await openDatabase(connection, (error) => failures.push(error));
  return {
    database: {
      ...database,
      async close() {
        await database.close();
        await administer(`drop database ${name}`);
        if (failures.length > 0) throw new AggregateError(failures, 'The pool failed during the test');
      },
    },
    bytes: async () => Number((await database.db.execute<{ bytes: string }>(BYTES)).rows[0]?.bytes),
    empty: async () => void (await database.db.execute(EMPTY)),
  };
}

const BYTES = `select sum(pg_relation_size(oid)) as bytes from pg_class
  where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace`;

/** Empties all tables, whatever a migration adds. Rows are deleted, not truncated: there are few, and each truncation makes files. */
const EMPTY = `do $$ declare place text; begin
  set local session_replication_role = replica;
  for place in select format('%I.%I', schemaname, tablename) from pg_tables where schemaname = 'public' loop
    execute 'delete from ' || place;
  end loop;
end $$`;

async function administer(statement: string): Promise<void> {
  const client = new pg.Client(inject('cluster'));
  await client.connect();
  await client.query(statement);
  await client.end();
}
