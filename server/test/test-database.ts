import { openAsBlob } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { type Database, openPostgres } from '#src/db/connect.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { waitUntil } from './wait-until.ts';

export type Engine = 'pglite' | 'postgresql';

/** The engines to run a service test on: the embedded one always, PostgreSQL when the test script started one. */
export const engines: readonly Engine[] =
  process.env.TEST_DATABASE_URL === undefined ? ['pglite'] : ['pglite', 'postgresql'];

/** Opening takes half a second and emptying ten milliseconds: each test file keeps those that no test holds. */
const spare: { engine: Engine; database: Database }[] = [];
afterAll(() => Promise.all(spare.map(({ database }) => database.close())));

/** An empty database that nobody else uses. Closing gives it back. */
export async function openTestDatabase(engine: Engine): Promise<Database> {
  const index = spare.findIndex((entry) => entry.engine === engine);
  const database = index === -1 ? await open(engine) : (spare.splice(index, 1)[0]?.database as Database);
  await database.db.execute(
    sql`truncate users, sessions, channels, channel_members, user_sockets, activities, user_photos restart identity cascade`,
  );
  return {
    ...database,
    close: async () => {
      spare.push({ engine, database });
    },
  };
}

const open = (engine: Engine): Promise<Database> =>
  engine === 'pglite' ? openMemory() : openScratch(String(process.env.TEST_DATABASE_URL));

async function openMemory(): Promise<Database> {
  const lite = await PGlite.create({ loadDataDir: await openAsBlob(inject('emptyDatabase')) });
  return {
    db: drizzle(lite),
    engine: 'pglite',
    ping: async () => void (await lite.query('select 1')),
    close: () => lite.close(),
  };
}

async function openScratch(url: string): Promise<Database> {
  const name = `pressel_${uuidV7().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`create database ${name}`);
  const own = new URL(url);
  own.pathname = `/${name}`;
  const failures: Error[] = [];
  const database = await openPostgres(own.href, (error) => failures.push(error));
  return {
    ...database,
    async close() {
      await database.close();
      // The pool says that it has ended before its connections have; dropping by force would kill them mid-farewell.
      await waitUntil(async () => {
        const left = await admin.query('select 1 from pg_stat_activity where datname = $1', [name]);
        return left.rowCount === 0;
      });
      await admin.query(`drop database ${name}`);
      await admin.end();
      if (failures.length > 0) throw new AggregateError(failures, 'The pool failed during the test');
    },
  };
}
