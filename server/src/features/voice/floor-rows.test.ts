import type { ChannelId } from '@pressel/contract/ids';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PROCESSES_LOCK } from '#src/db/locks.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { createFakeDatabase } from '#test/fake-floor-rows.ts';
import { createRandom } from '#test/random.ts';
import { makeGivenDatabase } from '#test/test-database.ts';
import { createFloorRows, type FloorRows, SKEW_MS } from './floor-rows.ts';
import { createFloor, type FloorState } from './floor-state.ts';

/** The property test of several processes uses the rows in memory, so both must do the same. */
describe.each(['PostgreSQL', 'the harness'])('the rows of floors in %s', (place) => {
  let rows: FloorRows;
  let nord: ChannelId;
  beforeEach(async () => {
    nord = uuidV7() as ChannelId;
    rows =
      place === 'PostgreSQL'
        ? createFloorRows(
            { connectionString: await makeGivenDatabase() },
            () => undefined,
            () => undefined,
          )
        : createFakeDatabase(createRandom(1), Date.now).connect(() => false);
    await rows.begin(false);
  });
  afterEach(() => rows.close());

  const floor = (version: number): FloorState => ({ ...createFloor('single'), version });
  const make = () => rows.change(nord, (_row, { now }) => ({ revision: 7, state: floor(1), at: now }));
  const now = async () => (await rows.read([])).now;
  /** A floor whose recovery ends then. */
  const due = (until: number) => ({ ...floor(2), recovery: { until, newest: 0 } });

  test('a row is swapped once for its revision, and told to whoever comes late', async () => {
    expect((await rows.swap(nord, 7, { revision: 8, state: floor(2), at: await now() })).isStored).toBe(false);
    await make();
    const at = await now();
    const both = await Promise.all(
      [2, 3].map((version) => rows.swap(nord, 7, { revision: 8, state: floor(version), at })),
    );
    expect(both.filter(({ isStored }) => isStored)).toHaveLength(1);
    const winner = both.findIndex(({ isStored }) => isStored);
    const late = await rows.swap(nord, 7, { revision: 8, state: floor(9), at: await now() });
    expect(late).toMatchObject({ isStored: false, row: { revision: 8, state: { version: winner + 2 } } });
  });

  test('a change that was made for another time is not stored', async () => {
    await make();
    for (const by of [-4 * SKEW_MS, 4 * SKEW_MS]) {
      const at = (await now()) + by;
      expect(await rows.swap(nord, 7, { revision: 8, state: floor(2), at })).toMatchObject({
        ...{ isStored: false, row: { revision: 7 } },
      });
    }
  });

  test('changes under the lock come one after the other, the first of them too', async () => {
    const seen: (number | null)[] = [];
    await Promise.all(
      [1, 2, 3, 4].map(() =>
        rows.change(nord, (row, { now: at }) => {
          const revision = (row?.revision ?? 0) + 1;
          if (!seen.includes(row?.revision ?? null)) seen.push(row?.revision ?? null);
          return { revision, state: floor(revision), at };
        }),
      ),
    );
    expect(seen).toEqual([null, 1, 2, 3]);
    expect((await rows.read([nord])).rows.get(nord)?.revision).toBe(4);
  });

  test('a change that fails changes nothing', async () => {
    await make();
    await expect(
      rows.change(nord, () => {
        throw new Error('Stop');
      }),
    ).rejects.toThrow('Stop');
    expect((await rows.read([nord])).rows.get(nord)).toMatchObject({ revision: 7, state: floor(1) });
  });

  test('those are listed whose end is near, or that have one', async () => {
    await make();
    const list = async () => [(await rows.listDue(1_000)).rows.size, (await rows.listActive([])).rows.size];
    expect(await list()).toEqual([0, 0]);
    const at = await now();
    await rows.swap(nord, 7, { revision: 8, state: due(at + 60_000), at });
    expect(await list()).toEqual([0, 1]);
    await rows.change(nord, () => ({ revision: 9, state: due(at), at }));
    expect(await list()).toEqual([1, 1]);
    expect((await rows.listActive([nord])).rows.size).toBe(1);
    await rows.forget(nord);
    expect(await list()).toEqual([0, 0]);
  });

  test('a new epoch takes the rows, and is a later one', async () => {
    await make();
    const before = await rows.read([]);
    expect((await rows.begin(false)).epoch).toBe(before.epoch);
    const { epoch } = await rows.begin(true);
    expect(epoch).toBeGreaterThan(Number(before.epoch));
    expect((await rows.read([nord])).rows.size).toBe(0);
  });
});

test('[PROC105] who was stopped before it gave up the floors leaves them to a process that serves by now', async () => {
  const ignore = () => undefined;
  const connectionString = await makeGivenDatabase();
  const rows = createFloorRows({ connectionString }, ignore, ignore);
  await rows.begin(false);
  const nord = uuidV7() as ChannelId;
  await rows.change(nord, (_row, { now }) => ({ revision: 1, state: createFloor('single'), at: now }));
  const other = new pg.Client({ connectionString });
  await other.connect();
  await other.query('select pg_advisory_lock_shared($1)', [PROCESSES_LOCK]);
  const { epoch } = await rows.read([]);
  await expect(rows.begin(true)).rejects.toThrow('Another process serves by now');
  expect(await rows.read([nord])).toMatchObject({ epoch, rows: new Map([[nord, expect.anything()]]) });
  await other.end();
  await rows.close();
});

test('[PROC75] who hangs in the middle of a change keeps the floor from nobody for longer than a second', async () => {
  const ignore = () => undefined;
  const rows = createFloorRows({ connectionString: await makeGivenDatabase() }, ignore, ignore);
  await rows.begin(false);
  const nord = uuidV7() as ChannelId;
  const make = (version: number) =>
    rows.change(nord, (_row, { now }) => ({
      revision: version,
      state: { ...createFloor('single'), version },
      at: now,
    }));
  await make(1);
  const hung = rows.change(nord, (_row, { now }) => {
    // Nothing runs here, as in a process that is stopped.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
    return { revision: 2, state: { ...createFloor('single'), version: 2 }, at: now };
  });
  await expect(hung).rejects.toThrow();
  await make(3);
  expect((await rows.read([nord])).rows.get(nord)).toMatchObject({ revision: 3 });
  await rows.close();
});
