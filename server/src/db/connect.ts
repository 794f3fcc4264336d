import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres';
import { migrate as migratePg } from 'drizzle-orm/node-postgres/migrator';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { migrate as migratePglite } from 'drizzle-orm/pglite/migrator';
import pg from 'pg';

/** Both engines behind one type. Inside `transaction(tx => …)` use `tx` only: PGlite has a single connection. */
export type Db = PgDatabase<PgQueryResultHKT>;
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];
/** What a repository takes: the database, or the transaction that its caller is in. */
export type Sql = Db | Tx;

export interface Database {
  readonly db: Db;
  readonly engine: 'pglite' | 'postgresql';
  ping(): Promise<void>;
  close(): Promise<void>;
}

const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));
/** Any constant will do, as long as every process of this program uses the same. */
const MIGRATION_LOCK = 7_225_310;

export async function openPostgres(url: string, onError: (error: Error) => void): Promise<Database> {
  const pool = new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 10_000 });
  pool.on('error', onError);
  try {
    const client = await pool.connect();
    try {
      // The migrator takes no lock by itself; two processes that start together would both migrate.
      await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await migratePg(drizzlePg(client), { migrationsFolder });
    } finally {
      await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(onError);
      client.release();
    }
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    db: drizzlePg(pool),
    engine: 'postgresql',
    ping: async () => void (await pool.query('select 1')),
    close: () => pool.end(),
  };
}

/** The embedded database, in `dataDir`/db, or in memory when no directory is given. */
export async function openEmbedded(dataDir: string | null): Promise<Database> {
  const lite = await PGlite.create(dataDir === null ? {} : { dataDir: join(dataDir, 'db') });
  const db = drizzlePglite(lite);
  await migratePglite(db, { migrationsFolder });
  return {
    db,
    engine: 'pglite',
    ping: async () => void (await lite.query('select 1')),
    close: () => lite.close(),
  };
}
