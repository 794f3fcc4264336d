import { fileURLToPath } from 'node:url';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type pg from 'pg';
import { DatabaseStartError } from './embedded/start-error.ts';
import { PROCESSES_LOCK } from './locks.ts';

const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/** The migrations that bring a database to this version, in order. */
export const readMigrations = (): MigrationMeta[] => readMigrationFiles({ migrationsFolder });

/** The line of a migration that removes something. It names the newest migration of the release that stopped using it [PROC80]. */
const UNNEEDED = /^-- Unneeded since (\d{4}) \(\S+\): \S/gmu;

/** How many migrations a version must know to work with what these make of the tables. */
export const knowledgeNeeded = (migrations: readonly Pick<MigrationMeta, 'sql'>[]): number => {
  const named = migrations.flatMap(({ sql }) =>
    [...sql.join('\n').matchAll(UNNEEDED)].map(([, number]) => Number(number) + 1),
  );
  return Math.max(0, ...named);
};

/** The name of connections that hold the processes' lock: it says how many migrations their process knows. */
export const processName = (known: number): string => `pressel ${known}`;
const KNOWN_BY_OTHERS = `select coalesce(substring(a.application_name from '^pressel (\\d+)$')::int, 0) as known
  from pg_locks l join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.objid = ${PROCESSES_LOCK} and l.granted and a.datname = current_database()`;

/** The migrator's table. Its comment says how many migrations a process must know. */
const LOG = 'drizzle.__drizzle_migrations';
const NEEDED = `select coalesce(substring(obj_description(to_regclass('${LOG}'), 'pg_class') from '^needs (\\d+)$')::int, 0) as needed`;

/**
 * Brings the tables up to this version, if processes of other versions keep what they need.
 * @param db on `client`
 * @throws DatabaseStartError a process of an incompatible version works there, or did [PROC82, PROC83]
 */
export async function migrateTables(
  client: Pick<pg.Client, 'query'>,
  db: NodePgDatabase,
  migrations = readMigrations(),
): Promise<void> {
  const numberOf = async (statement: string, name: string) =>
    Number((await client.query<Record<string, number>>(statement)).rows[0]?.[name]);
  if ((await numberOf(NEEDED, 'needed')) > migrations.length) {
    throw new DatabaseStartError(
      'A newer Pressel has changed the database so that this version can’t work with it. Start the newer one, or restore a backup that this version made.',
    );
  }
  const isMade = (await numberOf(`select (to_regclass('${LOG}') is not null)::int as made`, 'made')) === 1;
  const made = isMade ? await numberOf(`select count(*)::int as made from ${LOG}`, 'made') : 0;
  const needed = knowledgeNeeded(migrations.slice(made));
  if (needed > 0) {
    const { rows } = await client.query<{ known: number }>(KNOWN_BY_OTHERS);
    if (rows.some(({ known }) => known < needed)) {
      throw new DatabaseStartError(
        'Processes of an older Pressel work on the database, and need what this version takes away. Upgrade them to a release between the two first, or stop all of them.',
      );
    }
  }
  await migrate(db, { migrationsFolder });
  const always = knowledgeNeeded(migrations);
  if (always > 0) await client.query(`comment on table ${LOG} is 'needs ${always}'`);
}
