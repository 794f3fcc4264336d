import { randomUUID } from 'node:crypto';
import { logOut } from '@pressel/contract/auth';
import type { CallId } from '@pressel/contract/calls';
import { RESUME_MS } from '@pressel/contract/limits';
import { deleteUser } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { calls } from '#src/db/schema/calls.ts';
import { alone } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from '#test/cluster.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';
import { joinResumable } from '#test/resuming.ts';
import type { TestSocket } from '#test/socket-client.ts';
import { callBetween, connect, holdRow, lose, moveBo } from '#test/team-calls.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { waitUntil } from '#test/wait-until.ts';
import { listBusy } from './calls.repository.ts';

const NOT_FOUND = { ok: false, code: 'not_found' };
const SIGNAL = { type: 'video', shows: 'camera' } as const;

let team: Team;
let steady: number;
beforeEach(() => {
  steady = 0;
});

/** Lets time pass until somebody hears that a call is over: the server may notice the loss of the other one late. */
const stayAway = (left: TestSocket): Promise<void> =>
  waitUntil(async () => {
    steady += RESUME_MS;
    return left.waiting('call_over').length > 0;
  });

async function expectSignals(callId: CallId, one: TestSocket, other: TestSocket): Promise<void> {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    expect(await from.send('call_signal', { callId, signal: SIGNAL })).toMatchObject({ ok: true });
    expect(await to.next('call_signal')).toEqual({ callId, signal: SIGNAL });
  }
}

/** Passes the time that a lost device has, and waits until the server looked at the clock: another call then rang for too long. */
async function passTime(t: TestApp): Promise<void> {
  const [admin] = [await connect(t, team.admin), await connect(t, team.out)];
  const ack = await admin.send('call_start', { userId: team.out.id });
  steady += 2 * RESUME_MS;
  expect(ack).toMatchObject({ ok: true, data: { over: null } });
  await admin.next('call_over', ({ reason }) => reason === 'no_answer');
}

describe('[RING8] a call that was taken, at one process', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await buildTestApp({ steadyNow: () => steady });
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  test.each(['ana', 'bo'] as const)('waits for %s, whose link was lost, and goes on with the next one', async (who) => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const callId = await callBetween(ana, bo, team);
    const [gone, left] = who === 'ana' ? [ana, bo] : [bo, ana];
    await lose(gone);
    const back = await connect(t, team[who]);
    expect(await back.send('call_resume', { callId })).toEqual({ ok: true, data: {} });
    await expectSignals(callId, back, left);
    expect(await back.send('ice_config', {}), 'ICE servers are for who is in a call').toMatchObject({ ok: true });
    await passTime(t);
    expect([left, back].map((one) => one.waiting('call_over'))).toEqual([[], []]);
    await back.send('call_end', { callId });
    expect(await left.next('call_over')).toMatchObject({ callId, reason: 'hung_up' });
  });

  test('goes on before the server noticed the loss, and the late end of the old link ends nothing', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const callId = await callBetween(ana, bo, team);
    const back = await connect(t, team.ana);
    expect(await back.send('call_resume', { callId })).toEqual({ ok: true, data: {} });
    // The old link's process hears of it from another one.
    await caughtUp(back);
    expect(await ana.send('ice_config', {}), 'the old link is in no call').toMatchObject({ ok: false });
    ana.close();
    await passTime(t);
    expect(bo.waiting('call_over')).toEqual([]);
    await expectSignals(callId, back, bo);
  });

  test('goes on although a newer link took the room of the device over first, while the old one looked alive', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const inRoom = await joinResumable(ana, team.nord);
    const callId = await callBetween(ana, bo, team);
    const back = await connect(t, team.ana);
    await joinResumable(back, team.nord, inRoom.token);
    await ana.disconnected;
    expect(await back.send('call_resume', { callId })).toEqual({ ok: true, data: {} });
    await expectSignals(callId, back, bo);
    expect(bo.waiting('call_over')).toEqual([]);
  });

  test('ends for the other one when the lost device stays away', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await lose(ana);
    await caughtUp(bo);
    expect(bo.waiting('call_over')).toEqual([]);
    await stayAway(bo);
    expect(await bo.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
    const back = await connect(t, team.ana);
    expect(await back.send('call_resume', { callId })).toMatchObject(NOT_FOUND);
  });

  test('ends at once when the account of the lost device is deleted', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await lose(ana);
    await t.call(deleteUser, { UserId: team.ana.id }, team.admin.token);
    expect(await bo.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
  });

  test('ends at once when the session of the lost device ends', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await lose(ana);
    await t.call(logOut, {}, team.ana.token);
    expect(await bo.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
  });

  alone('it knows the end that it stores').test(
    '[RING22] that was hung up stays over and says so, also while its end could not be stored yet',
    async () => {
      const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
      const callId = await callBetween(ana, bo, team);
      await lose(ana);
      const row = await holdRow(t, callId);
      const over = bo.send('call_end', { callId });
      const back = await connect(t, team.ana);
      expect(await back.send('call_resume', { callId })).toMatchObject(NOT_FOUND);
      expect(back.waiting('call_over')).toEqual([{ callId, reason: 'hung_up', rejection: null }]);
      await Promise.all([row.release(), over]);
      expect(await t.database.db.select().from(calls)).toMatchObject([{ reason: 'hung_up' }]);
      expect(await bo.send('call_start', { userId: team.ana.id })).toMatchObject({ ok: true, data: { over: null } });
    },
  );

  test('[RING22] tells a device that was away how it ended, and nobody else', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await lose(ana);
    await bo.send('call_end', { callId });
    const [back, stranger] = [await connect(t, team.ana), await connect(t, team.admin)];
    for (const one of [back, stranger]) expect(await one.send('call_resume', { callId })).toMatchObject(NOT_FOUND);
    expect(back.waiting('call_over'), 'before the answer').toEqual([{ callId, reason: 'hung_up', rejection: null }]);
    expect(stranger.waiting('call_over')).toEqual([]);
  });

  test('[RING21] is kept by a device that comes back at the last moment, although its late end is under way', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await lose(ana);
    const back = await connect(t, team.ana);
    const row = await holdRow(t, callId);
    const resumed = back.send('call_resume', { callId });
    await waitUntil(() => row.isAwaited('returning'));
    await passTime(t);
    await row.release();
    expect(await resumed).toEqual({ ok: true, data: {} });
    expect(await bo.next('call_resumed')).toEqual({ callId });
    await expectSignals(callId, back, bo);
    expect([bo, back].map((one) => one.waiting('call_over'))).toEqual([[], []]);
  });

  test.each(['ana', 'bo'] as const)('[RING23] tells the other one that %s is back', async (who) => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const callId = await callBetween(ana, bo, team);
    const [gone, left] = who === 'ana' ? [ana, bo] : [bo, ana];
    await lose(gone);
    const back = await connect(t, team[who]);
    await back.send('call_resume', { callId });
    expect(await left.next('call_resumed')).toEqual({ callId });
    // A page whose answer was lost asks again, with the same socket.
    await back.send('call_resume', { callId });
    await expectSignals(callId, back, left);
    expect([left, back].map((one) => one.waiting('call_resumed'))).toEqual([[], []]);
  });

  test('is nobody else’s: not of another session, of another user, nor of a device where it only rang', async () => {
    const [ana, bo, phone] = [await connect(t, team.ana), await connect(t, team.bo), await connect(t, team.bo)];
    const ringing = await ana.send('call_start', { userId: team.bo.id });
    if (!ringing.ok) throw new Error(ringing.code);
    const { callId } = ringing.data;
    expect(await ana.send('call_resume', { callId }), 'it rings').toMatchObject(NOT_FOUND);
    await bo.send('call_accept', { callId });
    await ana.next('call_accepted');
    const other = await connect(t, { ...team.ana, token: await t.signIn(team.ana) });
    const admin = await connect(t, team.admin);
    for (const stranger of [other, admin])
      expect(await stranger.send('call_resume', { callId })).toMatchObject(NOT_FOUND);
    expect(await ana.send('call_resume', { callId: randomUUID() as CallId })).toMatchObject(NOT_FOUND);
    await expectSignals(callId, ana, bo);
    expect(phone.waiting('call_signal')).toEqual([]);
  });
});

describe('[RING8] a call of a server that is started again', () => {
  let database: Database;
  let t: TestApp;
  let callId: CallId;
  beforeEach(async () => {
    database = await openTestDatabase();
    t = await start();
    team = await makeTeam(t);
    callId = await callBetween(await connect(t, team.ana), await connect(t, team.bo), team);
    await t.close();
    t = await start();
  });
  afterEach(async () => {
    await t.close();
    await database.close();
  });
  const start = () => buildTestApp({ database, steadyNow: () => steady });

  test('goes on', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    for (const back of [ana, bo]) expect(await back.send('call_resume', { callId })).toMatchObject({ ok: true });
    expect(await ana.next('call_resumed'), '[RING23] Bo came back later').toEqual({ callId });
    await expectSignals(callId, ana, bo);
  });

  test.each(['ana', 'bo'] as const)('ends if only %s comes back', async (who) => {
    const back = await connect(t, team[who]);
    expect(await back.send('call_resume', { callId })).toMatchObject({ ok: true });
    await stayAway(back);
    expect(await back.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
    expect(await database.db.select().from(calls)).toMatchObject([{ reason: 'lost' }]);
  });

  test('[RING4] ends if one of the two is in another one by now', async () => {
    const [ana, admin, bo] = [await connect(t, team.ana), await connect(t, team.admin), await connect(t, team.bo)];
    const ack = await ana.send('call_start', { userId: team.admin.id });
    if (!ack.ok) throw new Error(ack.code);
    const { callId: another } = ack.data;
    await admin.next('call_ring');
    await admin.send('call_accept', { callId: another });
    await ana.next('call_accepted');
    expect(await bo.send('call_resume', { callId })).toMatchObject(NOT_FOUND);
    await expectSignals(another, ana, admin);
    await lose(ana);
    await stayAway(admin);
    expect(await admin.next('call_over')).toMatchObject({ callId: another, reason: 'lost' });
  });

  test('is over for a device that gave it up meanwhile, which is free again', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    await ana.send('call_end', { callId, isLost: true });
    expect(await bo.send('call_resume', { callId })).toMatchObject(NOT_FOUND);
    expect(await ana.send('call_start', { userId: team.bo.id })).toMatchObject({ ok: true, data: { over: null } });
  });
});

describe.skipIf(!hasRedis)('[RING8] [PROC36] a call between two processes', () => {
  let cluster: TestCluster;
  let [one, two, three] = [] as unknown as [TestApp, TestApp, TestApp];
  beforeEach(async () => {
    cluster = await buildCluster({ processes: 3, steadyNow: () => steady });
    [one, two, three] = cluster.processes as [TestApp, TestApp, TestApp];
    team = await makeTeam(one);
  });
  afterEach(() => cluster.close());

  test('[RING23] goes on at a third one, as often as a link is lost, and the other one hears of it', async () => {
    let [ana, bo] = [await connect(one, team.ana), await connect(two, team.bo)];
    const callId = await callBetween(ana, bo, team);
    for (const next of [three, two, one]) {
      await lose(ana);
      ana = await connect(next, team.ana);
      expect(await ana.send('call_resume', { callId })).toEqual({ ok: true, data: {} });
      expect(await bo.next('call_resumed')).toEqual({ callId });
      await expectSignals(callId, ana, bo);
      await lose(bo);
      bo = await connect(next, team.bo);
      expect(await bo.send('call_resume', { callId })).toEqual({ ok: true, data: {} });
      expect(await ana.next('call_resumed')).toEqual({ callId });
      await expectSignals(callId, ana, bo);
    }
    await passTime(three);
    expect([ana, bo].map((socket) => socket.waiting('call_over'))).toEqual([[], []]);
    await ana.send('call_end', { callId });
    expect(await bo.next('call_over')).toMatchObject({ callId, reason: 'hung_up' });
  });

  test('[RING21] that is hung up ends for the socket of its row, although the news of it were lost', async () => {
    const [ana, bo] = [await connect(one, team.ana), await connect(two, team.bo)];
    const callId = await callBetween(ana, bo, team);
    const back = await connect(three, team.bo);
    await cluster.database.db.transaction(moveBo(callId, back));
    await ana.send('call_end', { callId });
    expect(await back.next('call_over')).toEqual({ callId, reason: 'hung_up', rejection: null });
  });

  test('[RING21] goes on although the process of before ends it in the same moment', async () => {
    const [ana, bo] = [await connect(one, team.ana), await connect(two, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await lose(bo);
    const back = await connect(three, team.bo);
    const row = await holdRow(cluster, callId);
    await waitUntil(async () => {
      steady += RESUME_MS;
      return row.isAwaited('for update');
    });
    await row.release(moveBo(callId, back));
    expect(await ana.next('call_resumed'), '[RING23] told again, because the news were lost').toEqual({ callId });
    await passTime(two);
    expect([ana, back].map((socket) => socket.waiting('call_over'))).toEqual([[], []]);
    await ana.send('call_end', { callId });
    expect(await back.next('call_over')).toMatchObject({ reason: 'hung_up' });
  });

  test('[RING4] is over when its other one began another call, at a third one after a kill', async () => {
    const before = await callBetween(await connect(one, team.ana), await connect(two, team.bo), team);
    await cluster.database.db.update(calls).set({ serverId: randomUUID() });
    const [ana, bo] = [await connect(three, team.ana), await connect(two, team.bo)];
    await connect(three, team.admin);
    const ack = await ana.send('call_start', { userId: team.admin.id });
    expect(ack).toMatchObject({ ok: true, data: { over: null } });
    expect(await bo.send('call_resume', { callId: before })).toMatchObject(NOT_FOUND);
  });

  test('[RING4] keeps the one who took it busy at every process, while its caller is away and their process is gone', async () => {
    const callId = await callBetween(await connect(one, team.ana), await connect(two, team.bo), team);
    await one.stop();
    const [ana, bo, admin] = [
      await connect(three, team.ana),
      await connect(three, team.bo),
      await connect(three, team.admin),
    ];
    expect(await admin.send('call_start', { userId: team.bo.id })).toMatchObject({ ok: true, data: { over: 'busy' } });
    expect(await bo.send('call_start', { userId: team.admin.id })).toMatchObject({ ok: false, code: 'in_a_call' });
    const both = [team.ana.id, team.bo.id];
    const busy = async () => new Set((await listBusy(cluster.database.db, both)).map(({ userId }) => userId));
    expect(await busy(), 'its caller may never come back').toEqual(new Set([team.bo.id]));
    expect(await ana.send('call_resume', { callId })).toEqual({ ok: true, data: {} });
    expect(await busy()).toEqual(new Set(both));
  });

  test.each(['ana', 'bo'] as const)(
    '[RING25] ends if only %s comes back, after the process of both was stopped',
    async (who) => {
      const callId = await callBetween(await connect(one, team.ana), await connect(one, team.bo), team);
      await one.stop();
      const back = await connect(two, team[who]);
      expect(await back.send('call_resume', { callId })).toEqual({ ok: true, data: {} });
      await stayAway(back);
      expect(await back.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
    },
  );

  test('[RING25] waits for a device that comes back later, after the process of both was stopped', async () => {
    const callId = await callBetween(await connect(one, team.ana), await connect(one, team.bo), team);
    await one.stop();
    const bo = await connect(two, team.bo);
    expect(await bo.send('call_resume', { callId })).toEqual({ ok: true, data: {} });
    steady += RESUME_MS - 1;
    const ana = await connect(three, team.ana);
    expect(await ana.send('call_resume', { callId })).toEqual({ ok: true, data: {} });
    await expectSignals(callId, ana, bo);
    for (let round = 0; round < 3; round += 1) await passTime(three);
    expect([ana, bo].map((socket) => socket.waiting('call_over'))).toEqual([[], []]);
  });

  test('[RING25] ends if the other one, who came back by a third process, is lost with that one', async () => {
    const callId = await callBetween(await connect(one, team.ana), await connect(one, team.bo), team);
    await one.stop();
    const ana = await connect(two, team.ana);
    expect(await ana.send('call_resume', { callId })).toEqual({ ok: true, data: {} });
    const bo = await connect(three, team.bo);
    expect(await bo.send('call_resume', { callId })).toEqual({ ok: true, data: {} });
    await passTime(two);
    await three.stop();
    await stayAway(ana);
    expect(await ana.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
  });

  test('ends when the lost device stays away, wherever it was', async () => {
    const [ana, bo] = [await connect(one, team.ana), await connect(two, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await lose(bo);
    await stayAway(ana);
    expect(await ana.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
  });
});
