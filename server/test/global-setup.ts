import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../src/db/connect.ts';
import { type Connection, startCluster } from '../src/db/embedded/cluster.ts';
import { findPrograms } from '../src/db/embedded/programs.ts';
import { startRedis } from './redis-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL for this run of the tests alone, with a migrated, empty database to copy: `TEMPLATE`. */
    cluster: Connection;
    /** The address of a Redis for this run of the tests alone; null where none is installed. */
    redis: string | null;
  }
}

const TEMPLATE = 'pressel_template';
/** A throw-away server may forget everything in a power cut, and looks after nothing by itself. */
const SETTINGS = { full_page_writes: 'off', synchronous_commit: 'off', autovacuum: 'off', max_connections: '150' };

const NO_REDIS =
  'redis-server was not found (Debian: apt-get install redis-server): the tests of several processes did not run';

/** Starts the PostgreSQL and the Redis of the tests once for all files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const redis = await startRedis();
  if (redis === null && process.env.CI !== undefined) throw new Error(NO_REDIS);
  if (redis === null) process.stderr.write(`${NO_REDIS}\n`);
  project.provide('redis', redis?.url ?? null);
  const dir = await mkdtemp(join(tmpdir(), 'pressel-test-'));
  const say = (fields: object, event: string) => void process.stderr.write(`${event} ${JSON.stringify(fields)}\n`);
  const cluster = await startCluster({
    programs: await findPrograms(),
    folder: join(dir, 'postgres'),
    isDurable: false,
    settings: SETTINGS,
    // Tests that cut connections make it say so.
    log: { debug: () => undefined, warn: () => undefined, error: say },
  });
  const admin = new pg.Client(cluster.connection);
  await admin.connect();
  await admin.query(`create database ${TEMPLATE}`);
  await admin.end();
  const template = await openDatabase({ ...cluster.connection, database: TEMPLATE }, (error) => say(error, 'failed'));
  await template.close();
  project.provide('cluster', cluster.connection);
  return async () => {
    await redis?.stop();
    await cluster.stop();
    await rm(dir, { recursive: true, force: true });
  };
}
