import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { secrets } from '#src/db/schema/server.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { loadSecrets } from './secrets.ts';

describe('keys of the installation', () => {
  let database: Database;
  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(() => database.close());

  test('they are created once and then stay the same', async () => {
    const made = await loadSecrets(database.db);
    for (const key of Object.values(made)) expect(key).toHaveLength(32);
    expect(await loadSecrets(database.db)).toEqual(made);
  });

  test('concurrent first loads all get the same keys', async () => {
    const asked = await Promise.all(Array.from({ length: 8 }, () => loadSecrets(database.db)));
    expect(new Set(asked.map((keys) => keys.devices.toString('hex'))).size).toBe(1);
  });

  test('each purpose has its own', async () => {
    const keys = Object.values(await loadSecrets(database.db)).map((key) => key.toString('hex'));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('a purpose that is new gets its key, and the others keep theirs', async () => {
    const before = await loadSecrets(database.db);
    const others = Object.entries(before).slice(1);
    await database.db.delete(secrets);
    await database.db.insert(secrets).values(others.map(([name, key]) => ({ name, key })));
    const after = await loadSecrets(database.db);
    expect(Object.entries(after).slice(1)).toEqual(others);
    expect(after.devices).toHaveLength(32);
  });
});
