import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { loadSecret } from './secrets.ts';

describe('keys of the installation', () => {
  let database: Database;
  let name: string;
  beforeEach(async () => {
    database = await openTestDatabase();
    // Databases of tests are emptied of people, not of keys.
    name = randomUUID();
  });
  afterEach(() => database.close());

  test('a key is made once, and is the same ever after', async () => {
    const key = await loadSecret(database.db, name);
    expect(key).toHaveLength(32);
    expect(await loadSecret(database.db, name)).toEqual(key);
  });

  test('of many who ask for the first time at once all get the same', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadSecret(database.db, name)));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  });

  test('each purpose has its own', async () => {
    expect(await loadSecret(database.db, name)).not.toEqual(await loadSecret(database.db, randomUUID()));
  });
});
