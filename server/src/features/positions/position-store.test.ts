import type { UserId } from '@pressel/contract/ids';
import { POSITION_ENTRY_MS } from '@pressel/contract/limits';
import { eq, type SQL, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sql } from '#src/db/connect.ts';
import { activities } from '#src/db/schema/activities.ts';
import { lastPositions, userPositions } from '#src/db/schema/positions.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { makeTeam, type Team } from '#test/factories.ts';
import { logWithin, watchStatements } from '#test/statements.ts';
import { waitUntil } from '#test/wait-until.ts';
import { createPositionStore, type PositionStore } from './position-store.ts';
import { deletePositions, type Position } from './positions.repository.ts';
import { createPositionsService } from './positions.service.ts';

const START = Date.parse('2026-11-22T10:00:00.000Z');
const DAY_MS = 86_400_000;
const REPORTER = { firstName: 'A', displayName: 'A', address: null };

let t: TestApp;
let team: Team;
beforeEach(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
});
afterEach(() => t.close());

const at = (userId: UserId, ms: number): Position => ({
  ...{ userId, lat: 48, lng: 2, accuracy: null },
  recordedAt: new Date(START + ms),
});
/** Keeps the users of each statement that may make entries in the log. */
const recordInto = (statements: string[][]): typeof logWithin => ({
  ...logWithin,
  valuesOfAll(acts) {
    statements.push(acts.map(({ user }) => user?.id ?? ''));
    return logWithin.valuesOfAll(acts);
  },
});
const openStore = () => createPositionStore({ db: t.database.db, record: logWithin, now: () => new Date(START) });
const watchStores = () => watchStatements((text) => text.includes('into "last_positions"'));
/** The users of the log's entries, oldest first. */
const entries = async () =>
  (
    await t.database.db
      .select({ userId: activities.userId })
      .from(activities)
      .where(eq(activities.type, 'position_update'))
      .orderBy(activities.id)
  ).map(({ userId }) => userId);

test('positions that come together are written together; a second one of a user waits for the first', async () => {
  const { ana, bo } = team;
  const store = openStore();
  const stores = watchStores();
  const first = store.put(at(ana.id, 0), REPORTER);
  const rest = [at(bo.id, 0), at(ana.id, 2), at(ana.id, 1), at(bo.id, 1)].map((one) => store.put(one, REPORTER));
  expect(await first).toBe(true);
  expect(await Promise.all(rest)).toEqual([true, true, false, true]);
  stores.stop();
  // Three statements: the first of each user; the second of each, without a due entry; those that were older by then.
  expect(stores.texts).toHaveLength(3);
  expect((await entries()).toSorted()).toEqual([ana.id, bo.id].toSorted());
  expect(await t.database.db.$count(userPositions)).toBe(4);
});

test('[POS40] positions of a tenth of a second are one statement, and so are those that are many', async () => {
  const { ana, bo } = team;
  const statements: string[][] = [];
  const over = Promise.withResolvers<void>();
  let isOver = false;
  const store = createPositionStore({
    ...{ db: t.database.db, now: () => new Date(START) },
    record: recordInto(statements),
    async pause(ms, signal) {
      expect(ms).toBe(100);
      const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await (isOver ? aborted : Promise.race([over.promise, aborted]));
    },
  });
  const first = store.put(at(ana.id, 0), REPORTER);
  await t.database.ping();
  const second = store.put(at(bo.id, 0), REPORTER);
  await t.database.ping();
  expect(statements).toEqual([]);
  over.resolve();
  expect(await Promise.all([first, second])).toEqual([true, true]);
  expect(statements).toHaveLength(1);
  isOver = true;
  const many = Array.from({ length: 24 }, () => store.put(at(uuidV7() as UserId, 0), REPORTER));
  await t.database.ping();
  expect(statements).toHaveLength(1);
  expect(await store.put(at(ana.id, 1), REPORTER)).toBe(true);
  await Promise.all(many);
  expect(statements).toHaveLength(2);
});

test('[POS41] positions and their entries are one statement, and it has entries only while one may be due', async () => {
  const { ana, bo } = team;
  let time = START;
  const open = () =>
    createPositionStore({
      ...{ db: t.database.db, now: () => new Date(time), pause: async () => undefined },
      record: logWithin,
    });
  /** Whether the statement that stores these positions has entries. */
  const hasEntries = async (store: PositionStore, positions: readonly Position[]) => {
    const watch = watchStatements((text) => /into "last_positions"|into "activities"|^begin/u.test(text));
    const stored = await Promise.all(positions.map((one) => store.put(one, REPORTER)));
    watch.stop();
    expect(stored).not.toContain(false);
    expect(watch.texts).toHaveLength(1);
    return watch.texts[0]?.includes('into "activities"');
  };
  const [store, other] = [open(), open()];
  expect(await hasEntries(store, [at(ana.id, 1)])).toBe(true);
  expect(await hasEntries(store, [at(ana.id, 2)])).toBe(false);
  expect(await hasEntries(store, [at(ana.id, 3), at(bo.id, 3)])).toBe(true);
  expect(await entries()).toEqual([ana.id, bo.id]);
  // Another process learns from its first position of somebody when they are due.
  time += POSITION_ENTRY_MS - 1;
  expect(await hasEntries(other, [at(ana.id, 4)])).toBe(true);
  expect(await hasEntries(other, [at(ana.id, 5)])).toBe(false);
  expect(await entries()).toHaveLength(2);
  time += 1;
  expect(await hasEntries(other, [at(ana.id, 6)])).toBe(true);
  expect(await entries()).toEqual([ana.id, bo.id, ana.id]);
  // The first process doesn't know of that entry: the database does.
  expect(await hasEntries(store, [at(ana.id, 7)])).toBe(true);
  expect(await entries()).toHaveLength(3);
  // The clock was set back.
  time = START;
  expect(await hasEntries(store, [at(ana.id, 8)])).toBe(true);
  expect((await entries()).filter((userId) => userId === ana.id)).toHaveLength(3);
  expect(await entries()).toHaveLength(4);
  // A sweep may delete an old position, with the time of the entry.
  time += 2 * POSITION_ENTRY_MS;
  expect(await hasEntries(store, [at(ana.id, 9)])).toBe(true);
  expect(await hasEntries(store, [at(ana.id, 10)])).toBe(true);
  expect(await hasEntries(store, [at(ana.id, 2 * POSITION_ENTRY_MS)])).toBe(true);
  expect(await hasEntries(store, [at(ana.id, 2 * POSITION_ENTRY_MS + 1)])).toBe(false);
});

test('[POS40] a server that ends gathers no positions any more', async () => {
  let pauses = 0;
  const store = createPositionStore({
    ...{ db: t.database.db, now: () => new Date(START), record: logWithin },
    async pause() {
      pauses += 1;
    },
  });
  await store.put(at(team.ana.id, 0), REPORTER);
  expect(pauses).toBe(1);
  await store.settled();
  expect(await store.put(at(team.ana.id, 1), REPORTER)).toBe(true);
  expect(pauses).toBe(1);
});

test('a user who is gone spoils nothing for the others', async () => {
  const { ana } = team;
  const store = openStore();
  await store.put(at(ana.id, 0), REPORTER);
  const gone = uuidV7() as UserId;
  const [first, ...rest] = await Promise.all([
    store.put(at(ana.id, 1), REPORTER),
    store.put(at(gone, 0), REPORTER),
    store.put(at(ana.id, 2), REPORTER),
  ]);
  expect([first, ...rest]).toEqual([true, false, true]);
});

test('[POS7] a user of whom two processes store a position at once has one entry', async () => {
  const { ana } = team;
  const { db } = t.database;
  await openStore().put(at(ana.id, 0), REPORTER);
  const due = START + POSITION_ENTRY_MS;
  const stores = [due, due + 1].map((time) =>
    createPositionStore({ db, record: logWithin, now: () => new Date(time) }),
  );
  const isWaiting = async (count: number) => {
    const { rows } = await db.execute(sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    return rows.length === count;
  };
  const stored = await db.transaction(async (tx) => {
    await tx.select().from(lastPositions).where(eq(lastPositions.userId, ana.id)).for('update');
    const puts: Promise<boolean>[] = [];
    for (const [index, store] of stores.entries()) {
      puts.push(store.put(at(ana.id, index + 1), REPORTER));
      await waitUntil(() => isWaiting(index + 1));
    }
    return { puts };
  });
  expect(await Promise.all(stored.puts)).toEqual([true, true]);
  expect(await entries()).toEqual([ana.id, ana.id]);
});

test('[POS7] a position that is older than the last one has no entry, though one is due', async () => {
  const { ana } = team;
  await openStore().put(at(ana.id, 10), REPORTER);
  const time = START + POSITION_ENTRY_MS;
  const store = createPositionStore({ db: t.database.db, record: logWithin, now: () => new Date(time) });
  expect(await store.put(at(ana.id, 1), REPORTER)).toBe(false);
  expect(await entries()).toEqual([ana.id]);
});

test('a failure is told to those whose positions were lost, and to nobody after them', async () => {
  const { ana, bo } = team;
  let fails = true;
  const store = createPositionStore({
    db: t.database.db,
    // The database refuses the entry alone.
    record: { ...logWithin, valuesOfAll: (acts) => (fails ? { acts: 'no list' } : logWithin.valuesOfAll(acts)) },
    now: () => new Date(START),
  });
  const failing = store.put(at(ana.id, 0), REPORTER);
  await expect(failing).rejects.toMatchObject({ cause: { code: '22P02' } });
  fails = false;
  expect(await store.put(at(bo.id, 0), REPORTER)).toBe(true);
  await store.settled();
  expect(await t.database.db.$count(userPositions)).toBe(1);
});

test('[POS11] what is older than the retention goes, in parts, and only as long as the server runs', async () => {
  const { ana, bo } = team;
  const { db } = t.database;
  const store = openStore();
  const service = createPositionsService({
    relay: null,
    ...{ db, store, record: async () => undefined, retentionDays: 30, now: () => new Date(START) },
    ...{ reports: { ...NO_LIMIT, heard: () => undefined }, lookUps: NO_LIMIT, tell: () => undefined },
    enterable: () => Promise.reject(new Error('Nobody asks')),
  });
  const old = Array.from({ length: 25_000 }, (_, index) => at(ana.id, -30 * DAY_MS - 1 - index * 1_000));
  for (let part = 0; part < old.length; part += 5_000)
    await db.insert(userPositions).values(old.slice(part, part + 5_000));
  await store.put(at(ana.id, -30 * DAY_MS - 1 + 5), REPORTER);
  await store.put(at(bo.id, -31 * DAY_MS), REPORTER);
  const parts: number[] = [];
  await service.sweep(async () => parts.push(1) < 2);
  // One part was deleted before it was told to stop: of four users, a quarter of its rows each, and Bo has one.
  expect(await db.$count(userPositions)).toBe(25_002 - 2_501);
  await service.sweep(async () => true);
  expect(await db.$count(userPositions)).toBe(1);
  expect((await db.select().from(lastPositions)).map(({ userId }) => userId)).toEqual([ana.id]);
});

test('[POS11] what is to be deleted is found by its index, however few users have most of the rows', async () => {
  const { db } = t.database;
  const { ana, bo, out } = team;
  for (const { id } of [ana, bo, out]) {
    await db.execute(sql`insert into user_positions (user_id, recorded_at, lat, lng)
      select ${id}, now() - n * interval '2 s', 48, 2 from generate_series(1, 20000) n`);
  }
  await db.execute(sql`analyze user_positions`);
  const plans: string[] = [];
  const explaining = {
    execute: async (statement: SQL) => {
      const { rows } = await db.execute<Record<string, string>>(sql`explain (costs off) ${statement}`);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      return { rows: [] };
    },
  } as unknown as Sql;
  for (const upTo of [null, '2026-01-01T00:00:00Z']) {
    await deletePositions(explaining, { userIds: [ana.id, bo.id], upTo, before: null }, 10_000);
    await deletePositions(explaining, { userIds: [ana.id], upTo, before: new Date() }, 10_000);
  }
  for (const plan of plans) {
    expect(plan).toContain('Tid Scan on user_positions');
    expect(plan).toContain('Index Scan using user_positions_user_id_recorded_at_pk');
    expect(plan).not.toContain('Seq Scan on user_positions');
  }
  expect(plans).toHaveLength(4);
});

const NO_LIMIT = { take: async () => undefined, giveBack: async () => undefined, reset: async () => undefined };
