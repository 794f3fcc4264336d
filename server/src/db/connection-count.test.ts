import { describe, expect, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { checkConnections, connectionFault } from './connection-count.ts';
import { DatabaseStartError } from './embedded/start-error.ts';
import { servers } from './schema/presence.ts';

describe('[PROC33] connections of all processes', () => {
  test.each([
    ['one process in a large database', { poolMax: 10, allowed: 97, processes: 1 }],
    ['six processes, to the last connection', { poolMax: 10, allowed: 84, processes: 6 }],
  ])('%s fit', (_what, counted) => expect(connectionFault(counted)).toBeNull());

  test('too many processes are warned of, with what to do', () => {
    const fault = connectionFault({ poolMax: 30, allowed: 97, processes: 3 });
    expect(fault?.isRefused).toBe(false);
    expect(fault?.text).toContain('allows 97 connections, and 3 processes need 102');
    expect(fault?.text).toContain('DATABASE_POOL_MAX to 28 or less');
  });

  test('one process that could never have its connections is refused', () => {
    expect(connectionFault({ poolMax: 100, allowed: 97, processes: 1 })?.isRefused).toBe(true);
  });

  test('the database says how many it allows, and which processes are there', async () => {
    const database = await openTestDatabase();
    const warned: unknown[] = [];
    const check = (poolMax: number) => checkConnections(database.db, poolMax, (fields) => void warned.push(fields));
    await check(10);
    expect(warned).toEqual([]);
    await database.db.insert(servers).values([{ id: uuidV7() }, { id: uuidV7() }]);
    await check(100);
    expect(warned).toEqual([expect.objectContaining({ poolMax: 100, processes: 3 })]);
    await expect(check(10_000)).rejects.toThrow(DatabaseStartError);
    await database.close();
  });
});
