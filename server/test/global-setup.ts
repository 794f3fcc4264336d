import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import type { S3Config } from '#src/config/config.ts';
import { openDatabase } from '../src/db/connect.ts';
import { type Connection, startCluster } from '../src/db/embedded/cluster.ts';
import { findPrograms } from '../src/db/embedded/programs.ts';
import type { ServerLog } from '../src/db/embedded/server-run.ts';
import { startRedis } from './redis-server.ts';
import { givenBucket, startS3 } from './s3-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL for this test run only, with a migrated, empty database to copy: `TEMPLATE`. */
    cluster: Connection;
    /** The address of a Redis for this test run only; null where none is installed. */
    redis: string | null;
    /** A bucket for this test run only, or that of PRESSEL_TEST_S3; null where no S3 server is installed. */
    s3: S3Config | null;
    /** The data folder of an ended PostgreSQL, with the tables that a server makes at its first start. `copyDataFolder` copies it. */
    dataFolder: string;
  }
}

const TEMPLATE = 'pressel_template';
/**
 * A throw-away server may lose everything in a power cut, and needs no upkeep. A million rows of one test fit into its memory; no
 * plan depends on these sizes.
 */
const SETTINGS = {
  ...{ full_page_writes: 'off', synchronous_commit: 'off', autovacuum: 'off', max_connections: '300' },
  ...{ shared_buffers: '256MB', maintenance_work_mem: '256MB', max_wal_size: '1GB', checkpoint_timeout: '1h' },
};

const NO_REDIS =
  'redis-server was not found (Debian: apt-get install redis-server): the tests of several processes did not run';

const NO_S3 = 'moto was not found (node scripts/python.ts s3-server): the tests of files in an S3 store did not run';

/** Starts the PostgreSQL, the Redis and the S3 server of the tests once for all files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await startRedis();
  if (redis === null && process.env.CI !== undefined) throw new Error(NO_REDIS);
  if (redis === null) process.stderr.write(`${NO_REDIS}\n`);
  project.provide('redis', redis?.url ?? null);
  const given = process.env.PRESSEL_TEST_S3;
  const s3 = given === undefined ? await startS3() : null;
  if (given === undefined && s3 === null && process.env.CI !== undefined) throw new Error(NO_S3);
  if (given === undefined && s3 === null) process.stderr.write(`${NO_S3}\n`);
  project.provide('s3', given === undefined ? (s3?.bucket ?? null) : givenBucket(given));
  const dir = await mkdtemp(join(tmpdir(), 'pressel-test-'));
  const say = (fields: object, event: string) => void process.stderr.write(`${event} ${JSON.stringify(fields)}\n`);
  // Tests that cut connections cause such messages.
  const log = { debug: () => undefined, warn: () => undefined, error: say };
  const dataFolder = join(dir, 'prepared/postgres');
  await makeDataFolder(dataFolder, log);
  project.provide('dataFolder', dataFolder);
  const folder = join(dir, 'postgres');
  await promisify(execFile)('cp', ['-a', dataFolder, folder]);
  const programs = await findPrograms();
  const cluster = await startCluster({ programs, folder, isDurable: false, settings: SETTINGS, log });
  const admin = new pg.Client(cluster.connection);
  await admin.connect();
  await admin.query(`create database ${TEMPLATE} template postgres`);
  await admin.end();
  project.provide('cluster', cluster.connection);
  return async () => {
    await redis?.stop();
    await s3?.stop();
    await cluster.stop();
    await rm(dir, { recursive: true, force: true });
  };
}

/** Makes what a server makes at its first start, and leaves it on the disk. */
async function makeDataFolder(folder: string, log: ServerLog): Promise<void> {
  await mkdir(dirname(folder));
  const cluster = await startCluster({ programs: await findPrograms(), folder, isDurable: false, log });
  const database = await openDatabase(cluster.connection, (error) => log.error({ err: error }, 'failed'));
  await database.close();
  await cluster.stop();
}
