import type { UserId } from '@pressel/contract/ids';
import { changeUsers } from '@pressel/contract/users';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';
import { logWithin } from '#test/statements.ts';
import { openStrictDatabase } from '#test/test-database.ts';
import { waitUntil } from '#test/wait-until.ts';
import { createPositionStore } from './position-store.ts';
import { deleteOldLastPositions } from './positions.repository.ts';

const NOW = new Date('2026-11-22T10:00:00.000Z');
const REPORTER = { firstName: 'A', displayName: 'A', address: null };

/** Statements that lock several rows in different orders wait for each other: a deadlock. */
describe('rows of several users are locked in the order of their ids', () => {
  let database: Database;
  let t: TestApp;
  let team: Team;
  let first: UserId;
  let second: UserId;
  beforeEach(async () => {
    // Without indexes a table is read in the order of its rows on the disk.
    database = await openStrictDatabase({ options: '-c enable_indexscan=off -c enable_bitmapscan=off' });
    t = await buildTestApp({ database });
    team = await makeTeam(t);
    [first, second] = [team.ana.id, team.bo.id].toSorted() as [UserId, UserId];
  });
  afterEach(async () => {
    await t.close();
    await database.close();
  });

  const store = () => createPositionStore({ db: database.db, record: logWithin, now: () => NOW });
  const putBoth = () => {
    const { put } = store();
    const positionOf = (userId: UserId) => ({ userId, lat: 48, lng: 2, accuracy: null, recordedAt: NOW });
    return Promise.all([first, second].map((userId) => put(positionOf(userId), REPORTER)));
  };
  const deleteBoth = () =>
    t.call(changeUsers, { userIds: [second, first], change: { type: 'delete' } }, team.admin.token);

  /** Runs the work while the first user's row is locked. @returns whether the work left the second one's alone meanwhile */
  async function isSecondFree(table: 'users' | 'last_positions', work: () => Promise<unknown>): Promise<boolean> {
    const { db } = database;
    const key = sql.raw(table === 'users' ? 'id' : 'user_id');
    // The row that is changed last is the last one on the disk.
    await db.execute(sql`update ${sql.raw(table)} set ${key} = ${key} where ${key} = ${first}`);
    let running: Promise<unknown> = Promise.resolve();
    const isFree = await db.transaction(async (tx) => {
      await tx.execute(sql`select from ${sql.raw(table)} where ${key} = ${first} for update`);
      running = work();
      await waitUntil(async () => {
        const { rows } = await db.execute(sql`select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`);
        return rows.length > 0;
      });
      const { rows } = await db.execute(
        sql`select 1 from ${sql.raw(table)} where ${key} = ${second} for update skip locked`,
      );
      return rows.length > 0;
    });
    await running;
    return isFree;
  }

  test('by a batch of positions', async () => {
    expect(await isSecondFree('users', putBoth)).toBe(true);
  });

  test('by a bulk deletion', async () => {
    expect(await isSecondFree('users', deleteBoth)).toBe(true);
  });

  test('by the deletion of old last positions', async () => {
    await putBoth();
    const sweep = () => deleteOldLastPositions(database.db, new Date(NOW.getTime() + 1));
    expect(await isSecondFree('last_positions', sweep)).toBe(true);
  });
});
