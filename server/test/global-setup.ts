import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A migrated, empty embedded database to load, so that each worker need not migrate. */
    emptyDatabase: string;
  }
}

/** Makes the empty database once for all test files. */
export async function setup(project: TestProject): Promise<() => void> {
  const dir = mkdtempSync(join(tmpdir(), 'pressel-test-'));
  const file = join(dir, 'empty.tar');
  const lite = await PGlite.create();
  await migrate(drizzle(lite), { migrationsFolder: join(import.meta.dirname, '../src/db/migrations') });
  writeFileSync(file, Buffer.from(await (await lite.dumpDataDir('none')).arrayBuffer()));
  await lite.close();
  project.provide('emptyDatabase', file);
  return () => rmSync(dir, { recursive: true, force: true });
}
