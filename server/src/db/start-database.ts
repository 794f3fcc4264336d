import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#src/config/config.ts';
import { forRequest } from '#src/logs/log.ts';
import type { Database } from './connect.ts';
import { type LockLoss, lockDataDir } from './data-lock.ts';
import { startCluster } from './embedded/cluster.ts';
import { findPrograms } from './embedded/programs.ts';
import type { ServerLog } from './embedded/server-run.ts';
import { DAMAGED, DatabaseStartError } from './embedded/start-error.ts';
import { openingFailure } from './errors.ts';
import type { ProcessesLock } from './processes-lock.ts';

export interface DatabaseDeps {
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'databasePoolMax' | 'redisUrl'>;
  log: ServerLog;
  /** The embedded server ended and can't be started again. */
  onLost: (error: unknown) => void;
  /** The data directory is no longer ours alone. */
  onLockLost: (how: LockLoss) => void;
  /** Another process has taken the database of `DATABASE_URL`. */
  onDatabaseTaken: () => void;
  /** Cancels the start. */
  signal?: AbortSignal;
}

/** Connections that our own PostgreSQL allows besides the pool's. */
const CONNECTIONS_BESIDES_POOL = 20;

/** The data folder of our own PostgreSQL. */
export const databaseFolder = (dataDir: string): string => join(dataDir, 'postgres');

/** This installation's database: the one of `DATABASE_URL`, or our own in `DATA_DIR`, which we start and end. */
export async function startDatabase(deps: DatabaseDeps): Promise<Database> {
  const { config, log, onLost, onLockLost, signal } = deps;
  if (config.databaseUrl !== null) return openGiven(config.databaseUrl, deps);
  // The driver loads while the server starts: both take about the same time.
  const driver = import('./connect.ts');
  const onError = connectionFailed(log);
  const { dataDir } = config;
  await mkdir(dataDir, { recursive: true });
  const lock = await lockDataDir(dataDir, {
    onLost: onLockLost,
    onTrouble: (error) => log.warn({ err: error }, 'data_lock_unreachable'),
  });
  try {
    refuseEarlierData(dataDir);
    const cluster = await startCluster({
      programs: await findPrograms(),
      folder: databaseFolder(dataDir),
      log,
      onLost,
      // Backups and admin commands need connections besides the pool's.
      settings: { max_connections: String(config.databasePoolMax + CONNECTIONS_BESIDES_POOL) },
      ...(signal === undefined ? {} : { signal }),
    });
    const { openDatabase } = await driver;
    const connection = { ...cluster.connection, max: config.databasePoolMax };
    const database = await openDatabase(connection, onError).catch(async (error: unknown) => {
      await cluster.stop();
      throw inWords(error, config);
    });
    return {
      ...database,
      serve: (begin) => begin(true),
      sayEnding: async () => false,
      async close() {
        await database.close();
        await cluster.stop();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Logs the error without a request's id: it belongs to no request, even if one opened the connection. */
const connectionFailed = (log: ServerLog) => (error: Error) =>
  forRequest(undefined, () => log.error({ err: error }, 'database_connection_failed'));

/** Opens the database of `DATABASE_URL`, if no process that doesn't know of this one works there. */
async function openGiven(
  databaseUrl: string,
  { config, log, onDatabaseTaken, signal }: DatabaseDeps,
): Promise<Database> {
  const [{ openDatabase }, { checkConnections }, { lockProcesses }] = await Promise.all([
    import('./connect.ts'),
    import('./connection-count.ts'),
    import('./processes-lock.ts'),
  ]);
  const connection = { connectionString: databaseUrl, max: config.databasePoolMax };
  let lock: ProcessesLock | undefined;
  try {
    // Comes before tables are changed: another process may be working with them.
    lock = await lockProcesses({
      ...{ connection, isShared: config.redisUrl !== null, signal, onLost: onDatabaseTaken },
      onTrouble: (error) => log.warn({ err: error }, 'processes_lock_interrupted'),
    });
    const database = await openDatabase(connection, connectionFailed(log));
    try {
      await checkConnections(database.db, config.databasePoolMax, (fields) =>
        log.warn({ ...fields }, 'connections_scarce'),
      );
    } catch (error) {
      await database.close();
      throw error;
    }
    return {
      ...database,
      isFirst: lock.isFirst,
      serve: lock.serve,
      sayEnding: lock.sayEnding,
      isReached: lock.isHeld,
      async close() {
        await database.close();
        await lock?.release();
      },
    };
  } catch (error) {
    await lock?.release();
    throw inWords(error, config);
  }
}

/**
 * Turns the database's errors during the start into a sentence for the operator (the first reader finds damage). Any other
 * error is our fault and keeps its stack.
 */
export function inWords(error: unknown, { databaseUrl, dataDir }: Pick<Config, 'dataDir' | 'databaseUrl'>): unknown {
  const said = openingFailure(error);
  if (said === null) return error;
  const sentence =
    databaseUrl === null
      ? `The database in ${databaseFolder(dataDir)} can't be opened: ${said}. ${DAMAGED}`
      : `The database of DATABASE_URL can't be opened: ${said}. Correct DATABASE_URL, or mend that database.`;
  return new DatabaseStartError(sentence, { cause: error });
}

/** Refuses data of the first versions, which used PGlite: no other program reads it. */
function refuseEarlierData(dataDir: string): void {
  const earlier = join(dataDir, 'db');
  if (!existsSync(join(earlier, 'PG_VERSION')) || existsSync(databaseFolder(dataDir))) return;
  throw new DatabaseStartError(
    `${earlier} holds the data of an earlier Pressel, which this one cannot read. Export users and channels with the Pressel that made it, then move that folder away and import them.`,
  );
}
