import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { createStores, press, put } from '#test/floor-stores.ts';
import { makeGivenDatabase } from '#test/test-database.ts';
import type { FloorStore } from './floor-store.ts';
import type { SharedFloorStore, ToldFloor } from './shared-floor-store.ts';

const LONG_MS = 3_600_000;

let admin: pg.Client;
let stores: ReturnType<typeof createStores>;
let nord: ChannelId;
beforeEach(async () => {
  const connection = { connectionString: await makeGivenDatabase() };
  admin = new pg.Client(connection);
  await admin.connect();
  stores = createStores(connection);
  nord = uuidV7() as ChannelId;
});
afterEach(async () => {
  await stores.close();
  await admin.end();
});

const talkers = async (store: FloorStore) => (await store.read(nord)).state.talkers.map(({ id }) => id);

describe('[PROC117] a floor that another process left free', () => {
  /** Two stores that hear of each other, and how many statements change a floor. */
  async function openBoth({ isLate = false, recoveryMs = 0 } = {}) {
    const told: ToldFloor[] = [];
    const all: SharedFloorStore[] = [];
    const openOne = async () => {
      const store = await stores.open({
        recoveryMs,
        tellOthers(one) {
          told.push(one);
          if (isLate) return;
          for (const other of all) if (other !== store) other.hear(JSON.parse(JSON.stringify(one)));
        },
      });
      all.push(store);
      await store.change(nord, (state) => ({ state, replies: [], changed: false }));
      return store;
    };
    const [one, two] = [await openOne(), await openOne()];
    const count = async (work: () => Promise<unknown>) => {
      const asked = vi.spyOn(pg.Client.prototype, 'query');
      await work();
      const names = asked.mock.calls.map(([statement]) => (statement as { name?: string }).name);
      asked.mockRestore();
      return names;
    };
    return { one, two, told, count };
  }
  const leave = (store: FloorStore, name: string) => put(store, nord, { type: 'leave', ids: [name as ParticipantId] });

  test('is changed here by one statement, in turns', async () => {
    const { one, two, count } = await openBoth();
    for (const [store, name] of [
      [one, 'ana'],
      [two, 'bo'],
      [one, 'ana'],
      [two, 'bo'],
    ] as const) {
      expect(await count(() => put(store, nord, press(name)))).toEqual(['floor_swap']);
      expect(await talkers(store)).toEqual([name]);
      await leave(store, name);
    }
  });

  test('is told only when nobody has it or waits for it', async () => {
    const { one, told } = await openBoth();
    told.length = 0;
    await put(one, nord, press('ana'));
    await put(one, nord, press('bo'));
    await leave(one, 'ana');
    await leave(one, 'bo');
    expect(told.map(({ state }) => state)).toMatchObject([{ talkers: [], queue: [] }]);
  });

  test('is never changed from an older state, however late, often or wrongly it is told', async () => {
    const { one, two, told, count } = await openBoth({ isLate: true });
    await put(one, nord, press('ana'));
    await leave(one, 'ana');
    await put(two, nord, press('bo'));
    const { version } = (await two.read(nord)).state;
    const [free] = told.slice(-1) as [ToldFloor];
    // A floor that is passed over costs no further statement. The first press finds out that the floor has changed.
    for (const [late, ...swaps] of [
      [free, 'floor_swap', 'floor_swap'],
      [free, 'floor_swap'],
      [{ ...free, revision: free.revision + 9, state: { talkers: 'none' } }, 'floor_swap'],
      [{ ...free, epoch: 1, revision: free.revision + 19 }, 'floor_swap'],
    ] as const) {
      one.hear(late);
      const asked = await count(async () => {
        const { step } = await put(one, nord, press('ana', 2));
        expect(step.state.talkers).toMatchObject([{ id: 'bo' }]);
        expect(step.state.version).toBeGreaterThanOrEqual(version);
      });
      expect(asked).toEqual(swaps);
      await leave(one, 'ana');
    }
    // A revision that nobody stored.
    one.hear({ ...free, revision: free.revision + 1_000 });
    expect((await put(one, nord, press('ana', 3))).step.state.talkers).toMatchObject([{ id: 'bo' }]);
  });

  test('is changed by one statement, although what was told before comes after it', async () => {
    const { one, two, told, count } = await openBoth({ isLate: true });
    for (const name of ['ana', 'bo']) {
      await put(two, nord, press(name));
      await leave(two, name);
    }
    for (const each of told.toReversed()) one.hear(each);
    expect(await count(() => put(one, nord, press('ana', 2)))).toEqual(['floor_swap']);
  });

  test('[PROC24] is brought back as it was told, when the database has forgotten it', async () => {
    await stores.open();
    await admin.query('update floor_epochs set opened_at = opened_at - $1', [2 * LONG_MS]);
    const { one, two } = await openBoth({ recoveryMs: LONG_MS });
    const pressed = await put(one, nord, press('ana'));
    expect((await two.read(nord, pressed.step.state.version)).state.talkers).toMatchObject([{ id: 'ana' }]);
    const { version } = (await leave(one, 'ana')).step.state;
    await admin.query('truncate floors, floor_epochs, floor_talks');
    await two.due();
    expect((await two.read(nord)).state).toMatchObject({ talkers: [], version });
  });
});
