import { randomUUID } from 'node:crypto';
import { RESUME_MS } from '@pressel/contract/limits';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { calls } from '#src/db/schema/calls.ts';
import { alone } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from '#test/cluster.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';
import { callBetween, connect, holdRow, lose, moveBo, permitEnds, refuseEnds, ring } from '#test/team-calls.ts';
import { waitUntil } from '#test/wait-until.ts';
import { acceptCall } from './calls.repository.ts';

const DONE = { ok: true, data: {} };

let team: Team;
let steady: number;
beforeEach(() => {
  steady = 0;
});

const reasons = async ({ database }: Pick<TestApp, 'database'>) =>
  (await database.db.select().from(calls)).map(({ reason }) => reason);

alone('they know its ends').describe('the end of a call that can’t be stored', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await buildTestApp({ steadyNow: () => steady });
    team = await makeTeam(t);
  });
  afterEach(async () => {
    await permitEnds(t);
    await t.close();
  });

  test('[RING21] is told to nobody if a lost socket ends the call, whose device may be back', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await refuseEnds(t);
    await lose(ana);
    await waitUntil(() => {
      steady += RESUME_MS;
      return t.logLines.some(({ msg }) => msg === 'call_work_failed');
    });
    const back = await connect(t, team.ana);
    expect(await back.send('call_resume', { callId })).toEqual(DONE);
    await permitEnds(t);
    expect(await bo.next('call_resumed')).toEqual({ callId });
    expect(bo.waiting('call_over')).toEqual([]);
    await back.send('call_end', { callId });
    expect(await bo.next('call_over')).toMatchObject({ reason: 'hung_up' });
  });

  test('[RING21] by a lost socket is tried again', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await refuseEnds(t);
    ana.close();
    await waitUntil(() => t.logLines.some(({ msg }) => msg === 'call_work_failed'));
    await caughtUp(bo);
    expect(bo.waiting('call_over'), 'not before it is known').toEqual([]);
    await permitEnds(t);
    await waitUntil(() => {
      steady += 1_000;
      return bo.waiting('call_over').length > 0;
    });
    expect(await bo.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
  });

  test('[RING12] is told at once if somebody hung up, and stored as soon as that is possible', async () => {
    const [ana, bo] = [await connect(t, team.ana), await connect(t, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await refuseEnds(t);
    expect(await bo.send('call_end', { callId })).toMatchObject({ ok: false });
    expect(await ana.next('call_over')).toMatchObject({ callId, reason: 'hung_up' });
    await permitEnds(t);
    await waitUntil(async () => {
      steady += 1_000;
      return (await reasons(t))[0] === 'hung_up';
    });
  });
});

describe.skipIf(!hasRedis)('[PROC36] the end of a call between processes', () => {
  let cluster: TestCluster;
  let [one, two, three] = [] as unknown as [TestApp, TestApp, TestApp];
  beforeEach(async () => {
    cluster = await buildCluster({ processes: 3, steadyNow: () => steady });
    [one, two, three] = cluster.processes as [TestApp, TestApp, TestApp];
    team = await makeTeam(one);
  });
  afterEach(async () => {
    await permitEnds(cluster);
    await cluster.close();
  });

  /** Bo's late end is about to be stored at the second process, while he is back at the third. */
  async function lateEnd() {
    const [ana, bo] = [await connect(two, team.ana), await connect(two, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await lose(bo);
    const back = await connect(three, team.bo);
    const row = await holdRow(cluster, callId);
    await waitUntil(async () => {
      steady += RESUME_MS;
      return row.isAwaited('for update');
    });
    return { ana, back, callId, row };
  }

  test('[RING6] [RING21] is that of the button, although a late end came to nothing meanwhile', async () => {
    const { ana, back, callId, row } = await lateEnd();
    const over = ana.send('call_end', { callId });
    await caughtUp(ana);
    await row.release(moveBo(callId, back));
    expect(await over).toEqual(DONE);
    expect(await back.next('call_over')).toEqual({ callId, reason: 'hung_up', rejection: null });
    expect(await reasons(cluster)).toEqual(['hung_up']);
    expect(await ana.send('ice_config', {}), 'and she is in no call').toMatchObject({ ok: false });
  });

  test('[RING21] refuses no device until it is sure', async () => {
    const { ana, back, callId, row } = await lateEnd();
    await lose(ana);
    const again = await connect(two, team.ana);
    const resumed = again.send('call_resume', { callId });
    await caughtUp(again);
    await row.release(moveBo(callId, back));
    expect(await resumed).toEqual(DONE);
    expect([again, back].map((socket) => socket.waiting('call_over'))).toEqual([[], []]);
    expect(await reasons(cluster)).toEqual([null]);
  });

  test('[RING23] that came to nothing: the other one hears that the device is back', async () => {
    const { ana, back, callId, row } = await lateEnd();
    await row.release(moveBo(callId, back));
    expect(await ana.next('call_resumed')).toEqual({ callId });
    expect(ana.waiting('call_over')).toEqual([]);
  });

  test('[RING12] is stored as soon as possible, and told to a device that went on meanwhile', async () => {
    const [ana, bo] = [await connect(one, team.ana), await connect(two, team.bo)];
    const callId = await callBetween(ana, bo, team);
    await refuseEnds(cluster);
    await lose(ana);
    expect(await bo.send('call_end', { callId })).toMatchObject({ ok: false });
    const back = await connect(three, team.ana);
    expect(await back.send('call_resume', { callId })).toEqual(DONE);
    await permitEnds(cluster);
    await waitUntil(() => {
      steady += 1_000;
      return back.waiting('call_over').length > 0;
    });
    expect(await back.next('call_over')).toEqual({ callId, reason: 'hung_up', rejection: null });
    expect(await reasons(cluster)).toEqual(['hung_up']);
  });

  test('[RING8] waits for a caller who lost the link before the news that the call was taken', async () => {
    const [ana, bo] = [await connect(one, team.ana), await connect(two, team.bo)];
    const callId = await ring(ana, bo, team);
    const row = await holdRow(cluster, callId);
    await lose(ana);
    await waitUntil(() => row.isAwaited('for update'));
    const by = { acceptedAt: new Date(), calleeServerId: randomUUID(), socket: bo.id, session: randomUUID() };
    await row.release((tx) => acceptCall(tx, callId, by));
    const admin = await connect(one, team.admin);
    expect(await admin.send('call_start', { userId: team.bo.id })).toMatchObject({ ok: true, data: { over: 'busy' } });
    const back = await connect(three, team.ana);
    expect(await back.send('call_resume', { callId })).toEqual(DONE);
    await lose(back);
    // She stays away now.
    await waitUntil(() => {
      steady += RESUME_MS;
      return bo.waiting('call_over').length > 0;
    });
    expect(await bo.next('call_over')).toEqual({ callId, reason: 'lost', rejection: null });
  });
});
