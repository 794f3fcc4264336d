import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../src/db/connect.ts';
import { type Connection, startCluster } from '../src/db/embedded/cluster.ts';
import { findPrograms } from '../src/db/embedded/programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL for this run of the tests alone, with a migrated, empty database to copy: `TEMPLATE`. */
    cluster: Connection;
  }
}

const TEMPLATE = 'pressel_template';
/** A throw-away server may forget everything in a power cut, and looks after nothing by itself. */
const SETTINGS = { full_page_writes: 'off', synchronous_commit: 'off', autovacuum: 'off', max_connections: '150' };

/** Starts the PostgreSQL of the tests once for all files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
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
    await cluster.stop();
    await rm(dir, { recursive: true, force: true });
  };
}
