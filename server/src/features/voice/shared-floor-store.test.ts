import type { ChannelId, ParticipantId } from '@pressel/contract/ids';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { createStores, press, put } from '#test/floor-stores.ts';
import { makeGivenDatabase } from '#test/test-database.ts';
import { PATIENCE_MS } from '#test/wait-until.ts';
import type { FloorInput } from './floor.ts';
import { createFloorRows, type FloorRows } from './floor-rows.ts';
import type { FloorStore } from './floor-store.ts';

const LONG_MS = 3_600_000;

let connection: pg.PoolConfig;
let admin: pg.Client;
let stores: ReturnType<typeof createStores>;
let nord: ChannelId;
beforeEach(async () => {
  connection = { connectionString: await makeGivenDatabase() };
  admin = new pg.Client(connection);
  await admin.connect();
  stores = createStores(connection);
  nord = uuidV7() as ChannelId;
});
afterEach(async () => {
  await stores.close();
  await admin.end();
});

const clock = async () =>
  Number((await admin.query('select extract(epoch from clock_timestamp()) * 1000 as now')).rows[0].now);
const talkers = async (store: FloorStore) => (await store.read(nord)).state.talkers.map(({ id }) => id);
const cutAll = () =>
  admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );

describe('[PROC22] of changes by several processes at once', () => {
  test('each is made to what the one before left, and every version is told once', async () => {
    const all = await Promise.all([0, 1, 2, 3].map(() => stores.open()));
    const first = (await all[0]?.read(nord))?.state.version ?? 0;
    const changes = await Promise.all(
      all.flatMap((store, index) =>
        Array.from({ length: 25 }, (_, seq) =>
          store.change(nord, (state) => ({
            ...{ replies: [], changed: true },
            state: { ...state, version: state.version + 1, lastSeq: { ...state.lastSeq, [`p${index}`]: seq + 1 } },
          })),
        ),
      ),
    );
    const versions = changes.map(({ step }) => step.state.version).toSorted((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 100 }, (_, index) => first + index + 1));
    for (const { before, step } of changes) expect(step.state.version).toBe(before.version + 1);
    for (const store of all) {
      const { state } = await store.read(nord, first + 100);
      expect(state.lastSeq).toEqual({ p0: 25, p1: 25, p2: 25, p3: 25 });
    }
  });

  test('one gets the floor, and the others are told whose it is', async () => {
    const all = await Promise.all([0, 1, 2].map(() => stores.open()));
    for (let round = 1; round <= 20; round += 1) {
      const steps = await Promise.all(all.map((store, index) => put(store, nord, press(`p${index}`, round * 2))));
      const granted = steps.filter(({ step }) => step.replies.some(({ reply }) => reply.type === 'granted'));
      expect(granted).toHaveLength(1);
      const [holder] = await talkers(all[round % 3] as FloorStore);
      const ids = ['p0', 'p1', 'p2'].filter((id) => id !== holder) as ParticipantId[];
      await put(all[round % 3] as FloorStore, nord, { type: 'leave', ids });
      await put(all[(round + 1) % 3] as FloorStore, nord, {
        type: 'leave',
        ids: ['p0', 'p1', 'p2'] as ParticipantId[],
      });
    }
  });

  test('one that would change nothing is applied to the newest floor', async () => {
    const [one, two] = [await stores.open(), await stores.open()];
    await put(one, nord, press('ana'));
    expect((await put(two, nord, press('bo'))).step.replies).toMatchObject([{ reply: { type: 'queued' } }]);
    // The copy of the first store knows nothing of Bo, who has the floor by now.
    await put(two, nord, { type: 'release', id: 'ana' as ParticipantId, seq: 2 });
    const { step } = await put(one, nord, { type: 'renew', id: 'bo' as ParticipantId, seq: 1 });
    expect(step.state.talkers).toMatchObject([{ id: 'bo' }]);
  });
});

describe('[PROC23] the time', () => {
  test('is the database’s, whatever the clocks of the processes say', async () => {
    for (const aheadMs of [0, -7_000, 3_600_000]) {
      const store = await stores.open({ aheadMs });
      await store.read(nord);
      const before = await clock();
      const { now } = await store.change(nord, (state) => ({ state: { ...state }, replies: [], changed: false }));
      const after = await clock();
      // The measurement is no better than the way to the database, which the two readings include.
      const doubt = after - before + 1;
      expect(now).toBeGreaterThan(before - doubt);
      expect(now).toBeLessThan(after + doubt);
    }
  });

  test('set back leaves a talk what is left of it, and its lease', async () => {
    const [one, two] = [await stores.open(), await stores.open()];
    await put(one, nord, press('ana'));
    const before = (await one.read(nord)).state;
    // The floor is stored as if it had been changed an hour from now.
    const { rows } = await admin.query('select state from floors where channel_id = $1', [nord]);
    const state = JSON.parse(rows[0].state, (key, value) =>
      ['leaseUntil', 'busyUntil', 'talkUntil', 'since'].includes(key) ? value + LONG_MS : value,
    );
    await admin.query('update floors set state = $2, at = at + $3, revision = revision + 1 where channel_id = $1', [
      ...[nord, JSON.stringify(state), LONG_MS],
    ]);
    for (const store of [one, two]) {
      const { step } = await put(store, nord, { type: 'renew', id: 'ana' as ParticipantId, seq: 1 });
      const [talker] = step.state.talkers;
      expect(talker?.id).toBe('ana');
      expect(Number(talker?.leaseUntil)).toBeLessThan((await clock()) + 5_000);
      expect(Number(talker?.talkUntil)).toBeLessThanOrEqual(Number(before.talkers[0]?.talkUntil) + 5_000);
    }
  });
});

describe('[PROC24] floors that the database forgot', () => {
  /** Forgets what a crash of PostgreSQL loses: the tables that it doesn't log. */
  const forget = () => admin.query('truncate floors, floor_epochs, floor_talks');

  test('are brought back by a process that knows them, with talk, queue and numbers; nobody gets one meanwhile', async () => {
    const [one, two] = [await stores.open({ recoveryMs: LONG_MS }), await stores.open({ recoveryMs: LONG_MS })];
    await admin.query('update floor_epochs set opened_at = opened_at - $1', [2 * LONG_MS]);
    const fresh = await stores.open({ recoveryMs: LONG_MS });
    await put(fresh, nord, press('ana', 5));
    await put(fresh, nord, press('bo', 7));
    const before = (await fresh.read(nord)).state;
    await forget();
    // A process that never saw that floor makes an empty one, and it recovers.
    await put(two, nord, { type: 'renew', id: 'x' as ParticipantId, seq: 1 });
    expect((await two.read(nord)).state).toMatchObject({ talkers: [], recovery: { newest: 0 } });
    await put(fresh, nord, { type: 'renew', id: 'ana' as ParticipantId, seq: 5 });
    const { state } = await one.read(nord, before.version);
    expect(state).toMatchObject({
      ...{ version: before.version, lastSeq: { ana: 5, bo: 7 } },
      ...{ talkers: [{ id: 'ana', seq: 5 }], queue: [{ id: 'bo', seq: 7 }], recovery: { newest: before.version } },
    });
    expect(state.recovery?.until).not.toBeNull();
  });

  test('are brought back unasked by a process that hears of it, and the newest one counts', async () => {
    const [one, two] = [await stores.open({ recoveryMs: LONG_MS }), await stores.open({ recoveryMs: LONG_MS })];
    await admin.query('update floor_epochs set opened_at = opened_at - $1', [2 * LONG_MS]);
    const [old, young] = [await stores.open({ recoveryMs: LONG_MS }), await stores.open({ recoveryMs: LONG_MS })];
    await put(old, nord, press('ana'));
    await put(young, nord, press('bo'));
    await put(young, nord, { type: 'release', id: 'ana' as ParticipantId, seq: 2 });
    expect(await talkers(young)).toEqual(['bo']);
    await forget();
    // The older copy comes first.
    await old.due();
    await expect.poll(() => talkers(one), { timeout: PATIENCE_MS }).toEqual(['ana']);
    await young.due();
    await expect.poll(() => talkers(two), { timeout: PATIENCE_MS }).toEqual(['bo']);
  });

  test('have versions above all earlier ones when nobody knew them', async () => {
    const one = await stores.open();
    const { step } = await put(one, nord, press('ana'));
    await forget();
    const two = await stores.open();
    await expect
      .poll(async () => (await two.read(nord)).state.version, { timeout: PATIENCE_MS })
      .toBeGreaterThan(step.state.version);
  });

  test('are given up by the first process of all, for what clients bring', async () => {
    const one = await stores.open();
    await put(one, nord, press('ana'));
    const openedAt = one.openedAt();
    const two = await stores.open({ isFirst: true, recoveryMs: LONG_MS });
    expect(two.openedAt()).toBeGreaterThan(openedAt);
    expect((await two.read(nord)).state).toMatchObject({ version: 0, talkers: [], recovery: { newest: 0 } });
  });

  test('are given up by it even if its start takes so long that it looks for due floors before', async () => {
    const one = await stores.open();
    await put(one, nord, press('ana'));
    const first = stores.make({ recoveryMs: LONG_MS });
    await first.active([nord]);
    await first.open(true);
    expect((await first.read(nord)).state).toMatchObject({ version: 0, talkers: [], recovery: { newest: 0 } });
    await put(first, nord, press('bo'));
    expect(await first.active()).toMatchObject([{ id: nord, state: { talkers: [{ id: 'bo' }] } }]);
  });
});

test('[PROC25] a connection that is cut fails a change at most, and the next one is made', async () => {
  const [one, two] = [await stores.open(), await stores.open()];
  await put(one, nord, press('ana'));
  for (let round = 0; round < 5; round += 1) {
    const changes = Promise.allSettled(
      [one, two].flatMap((store) =>
        Array.from({ length: 5 }, () => put(store, nord, { type: 'renew', id: 'ana' as ParticipantId, seq: 1 })),
      ),
    );
    await cutAll();
    await changes;
    const { step } = await put(one, nord, { type: 'renew', id: 'ana' as ParticipantId, seq: 1 }).catch(() =>
      put(one, nord, { type: 'renew', id: 'ana' as ParticipantId, seq: 1 }),
    );
    expect(step.state.talkers).toMatchObject([{ id: 'ana' }]);
  }
});

test('[PROC25] a read that hangs or fails holds up and fails no change of another channel', async () => {
  const rows = createFloorRows(
    connection,
    () => undefined,
    () => undefined,
  );
  const sud = uuidV7() as ChannelId;
  const hanging = Promise.withResolvers<never>();
  const begun = Promise.withResolvers<void>();
  let isHanging = false;
  const read: FloorRows['read'] = (ids) => {
    if (!isHanging || !ids.includes(sud)) return rows.read(ids);
    begun.resolve();
    return hanging.promise;
  };
  const store = await stores.open({ rows: { ...rows, read } });
  await put(store, sud, press('bo'));
  await put(store, nord, press('ana'));
  isHanging = true;
  // Changes nothing, so it reads whether its copy is the newest.
  const renew = (channelId: ChannelId, id: string) =>
    put(store, channelId, { type: 'renew', id: id as ParticipantId, seq: 0 });
  const late = renew(sud, 'nobody');
  await begun.promise;
  const { step } = await renew(nord, 'nobody');
  expect(step.state.talkers).toMatchObject([{ id: 'ana' }]);
  const together = [late, renew(nord, 'nobody')];
  hanging.reject(new Error('Connection terminated unexpectedly'));
  const changes = await Promise.all(together);
  expect(changes.map(({ step: { state } }) => state.talkers.map(({ id }) => id))).toEqual([['bo'], ['ana']]);
});

describe('[PROC99] changes of many floors that come at once', () => {
  const many = () => Array.from({ length: 40 }, () => uuidV7() as ChannelId);
  const talkIn = async (store: FloorStore, channelIds: readonly ChannelId[]) => {
    for (const channelId of channelIds) await put(store, channelId, press('ana'));
  };
  const renew: FloorInput = { type: 'renew', id: 'ana' as ParticipantId, seq: 1 };

  test('are one statement', async () => {
    const store = await stores.open();
    const all = many();
    await talkIn(store, all);
    const asked = vi.spyOn(pg.Client.prototype, 'query');
    const changes = await Promise.all(all.map((channelId) => put(store, channelId, renew)));
    const names = asked.mock.calls.map(([statement]) => (statement as { name?: string }).name);
    asked.mockRestore();
    expect(names).toEqual(['floor_swap']);
    expect(changes.every(({ before, step }) => step.state !== before)).toBe(true);
    for (const channelId of all) expect((await store.read(channelId)).state.talkers).toMatchObject([{ id: 'ana' }]);
  });

  test('are not held up by one that somebody else is changing', async () => {
    const store = await stores.open();
    const all = many();
    await talkIn(store, [nord, ...all]);
    await admin.query('begin');
    await admin.query('select from floors where channel_id = $1 for update', [nord]);
    const held = put(store, nord, renew);
    await Promise.all(all.map((channelId) => put(store, channelId, renew)));
    await admin.query('commit');
    expect((await held).step.state.talkers).toMatchObject([{ id: 'ana' }]);
  });

  test('fail together when their connection is cut, and none is made twice', async () => {
    const rows = createFloorRows(
      connection,
      () => undefined,
      () => undefined,
    );
    const store = await stores.open({ rows });
    const all = many();
    await talkIn(store, all);
    await admin.query('begin');
    await admin.query('lock table floors in exclusive mode');
    const changes = Promise.allSettled(all.map((channelId) => put(store, channelId, renew)));
    const isWaiting = async () =>
      (await admin.query("select from pg_locks where relation = 'floors'::regclass and not granted")).rowCount === 1;
    await expect.poll(isWaiting, { timeout: PATIENCE_MS }).toBe(true);
    await cutAll();
    await admin.query('commit');
    expect(new Set((await changes).map(({ status }) => status))).toEqual(new Set(['rejected']));
    await Promise.all(all.map((channelId) => put(store, channelId, renew)));
  });
});

test('[PROC99] two processes that end one lease at the same moment lock nothing', async () => {
  const rows = createFloorRows(
    connection,
    () => undefined,
    () => undefined,
  );
  const two = await stores.open();
  let [isLocked, changes] = [false, 0];
  const one = await stores.open({
    rows: {
      ...rows,
      async swap(channelId, revision, next) {
        if (!isLocked) return rows.swap(channelId, revision, next);
        isLocked = false;
        // As while the other process's change is under way.
        const found = await rows.read([channelId]);
        await put(two, channelId, { type: 'leave', ids: ['ana' as ParticipantId] });
        return { ...found, isStored: false, row: found.rows.get(channelId) ?? null };
      },
      change(...of) {
        changes += 1;
        return rows.change(...of);
      },
    },
  });
  await put(one, nord, press('ana'));
  await two.read(nord);
  [isLocked, changes] = [true, 0];
  const { step } = await put(one, nord, { type: 'leave', ids: ['ana' as ParticipantId] });
  expect([step.changed, step.state.talkers, changes]).toEqual([false, [], 0]);
});

test('[PROC22] only floors with a lease or timer that ends soon are due, all with any are active', async () => {
  const one = await stores.open();
  const sud = uuidV7() as ChannelId;
  await put(one, nord, press('ana'));
  await one.read(sud);
  expect(await one.due()).toEqual([]);
  expect((await one.active()).map(({ id }) => id)).toEqual([nord]);
  expect((await one.active([sud])).map(({ id }) => id).toSorted()).toEqual([nord, sud].toSorted());
  await expect.poll(async () => (await one.due()).map(({ id }) => id), { timeout: PATIENCE_MS }).toEqual([nord]);
  await put(one, nord, { type: 'leave', ids: ['ana' as ParticipantId] });
  expect(await one.active()).toEqual([]);
  await one.forget(nord);
  expect((await admin.query('select from floors where channel_id = $1', [nord])).rowCount).toBe(0);
});
