import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import pg from 'pg';
import type { Config } from '#src/config/config.ts';
import { DataInUseError, lockDataDir } from '#src/db/data-lock.ts';
import { startCluster } from '#src/db/embedded/cluster.ts';
import { readPassword, SUPERUSER } from '#src/db/embedded/data-folder.ts';
import { readPostmaster } from '#src/db/embedded/postmaster.ts';
import { findPrograms } from '#src/db/embedded/programs.ts';
import type { ServerLog } from '#src/db/embedded/server-run.ts';
import { PROCESSES_LOCK } from '#src/db/locks.ts';
import { refuseMoved } from '#src/db/moved-database.ts';
import { databaseFolder } from '#src/db/start-database.ts';

/** A fault that the operator can mend: the message is one sentence that tells them how. */
export class MaintenanceError extends Error {}

export type Installation = Pick<Config, 'dataDir' | 'databaseUrl' | 's3'>;

/** Failures are thrown, so nobody reads these lines. */
const QUIET: ServerLog = { debug: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Works on this installation's database: the one of `DATABASE_URL`, or our own. If no Pressel runs on our own, it is
 * started for the time of the work.
 * @throws MaintenanceError when there is no database yet
 */
export async function withDatabase<T>(
  installation: Pick<Installation, 'dataDir' | 'databaseUrl'>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const { dataDir, databaseUrl } = installation;
  const workInUse = async (client: pg.Client): Promise<T> => {
    await refuseMoved(client);
    return work(client);
  };
  if (databaseUrl !== null) return withClient({ connectionString: databaseUrl }, workInUse);
  requireDatabase(installation);
  const running = await connectionOfRunning(dataDir);
  return running === null ? withOwnDatabase(installation, workInUse) : withClient(running, workInUse);
}

/** @throws MaintenanceError when there is no database yet */
export function requireDatabase({ dataDir, databaseUrl }: Pick<Installation, 'dataDir' | 'databaseUrl'>): void {
  if (databaseUrl !== null || existsSync(databaseFolder(dataDir))) return;
  throw new MaintenanceError(`There is no database in ${dataDir}. Set DATA_DIR or DATABASE_URL to where it is.`);
}

/**
 * Works on a database that nobody else uses; it is made if it is missing.
 * @throws DataInUseError while a Pressel runs on it
 */
export async function withOwnDatabase<T>(
  { dataDir, databaseUrl }: Pick<Installation, 'dataDir' | 'databaseUrl'>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  if (databaseUrl !== null) return withClient({ connectionString: databaseUrl }, work);
  await mkdir(dataDir, { recursive: true });
  const lock = await lockDataDir(dataDir);
  try {
    const cluster = await startCluster({
      programs: await findPrograms(),
      folder: databaseFolder(dataDir),
      log: QUIET,
    });
    try {
      return await withClient(cluster.connection, work);
    } finally {
      await cluster.stop();
    }
  } finally {
    lock.release();
  }
}

/**
 * Keeps every Pressel from starting on the database until this connection ends. It also requires that nobody else is connected: an
 * older Pressel, which doesn't know this lock, may be running.
 * @throws MaintenanceError
 */
export async function requireNobodyElse(client: pg.Client): Promise<void> {
  const { rows } = await client.query('select pg_try_advisory_lock($1) as taken', [PROCESSES_LOCK]);
  const { rowCount } = await client.query(
    `select 1 from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  if (rows[0]?.taken !== true || rowCount !== 0)
    throw new MaintenanceError('Somebody is connected to the database. Stop Pressel, then try again.');
}

/** Runs some work while no Pressel runs or can start. @throws DataInUseError, MaintenanceError */
export async function whileStopped<T>(installation: Installation, work: () => Promise<T>): Promise<T> {
  requireDatabase(installation);
  return withOwnDatabase(installation, async (client) => {
    await requireNobodyElse(client);
    return work();
  });
}

/** How to reach the database of a running Pressel; null when none runs. */
async function connectionOfRunning(dataDir: string): Promise<pg.ClientConfig | null> {
  try {
    (await lockDataDir(dataDir)).release();
    return null;
  } catch (error) {
    if (!(error instanceof DataInUseError)) throw error;
  }
  const folder = databaseFolder(dataDir);
  const server = await readPostmaster(folder);
  if (server === null || !server.isReady) {
    throw new MaintenanceError('Pressel is starting or stopping. Try again in a moment.');
  }
  const password = process.platform === 'win32' ? { password: await readPassword(folder) } : {};
  return { host: server.host, port: server.port, user: SUPERUSER, database: 'postgres', ssl: false, ...password };
}

export async function withClient<T>(config: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(config);
  // When a server ends, the statement under way fails, and its caller handles that.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
