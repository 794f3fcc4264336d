import { inject } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { buildTestApp, type TestApp } from './build-test-app.ts';
import { openTestDatabase } from './test-database.ts';

/** Whether there is a Redis for tests of several processes. */
export const hasRedis = inject('redis') !== null;

export interface TestCluster {
  /** Each has what a process has: they share the database and the Redis, and nothing else. */
  processes: TestApp[];
  database: Database;
  close(): Promise<void>;
}

/** Several servers of one installation, on an empty database. Close it after the test. */
export async function buildCluster({
  processes: count = 2,
  redisUrl = String(inject('redis')),
  ...options
}: { processes?: number; redisUrl?: string } & Parameters<typeof buildTestApp>[0] = {}): Promise<TestCluster> {
  const database = options.database ?? (await openTestDatabase());
  const processes: TestApp[] = [];
  for (let number = 0; number < count; number += 1) {
    processes.push(await buildTestApp({ ...options, database, config: { ...options.config, redisUrl } }));
  }
  return {
    processes,
    database,
    async close() {
      await Promise.all(processes.map((one) => one.close()));
      if (options.database === undefined) await database.close();
    },
  };
}
