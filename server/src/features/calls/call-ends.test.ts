import { randomUUID } from 'node:crypto';
import type { ParticipantId } from '@pressel/contract/ids';
import { RESUME_MS } from '@pressel/contract/limits';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { calls } from '#src/db/schema/calls.ts';
import { alone } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from '#test/cluster.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';
import { callBetween, connect, holdRow, lose, moveBo, permitEnds, refuseEnds, ring } from '#test/team-calls.ts';
import { waitUntil } from '#test/wait-until.ts';
import type { ActiveCall } from './active-calls.ts';
import { type CallEndsDeps, createCallEnds, RETRY_MS } from './call-ends.ts';
import { type CallResumingDeps, createCallResuming } from './call-resuming.ts';
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

  test('[RING8] waits for such a caller also if the end could not be stored at once', async () => {
    const [ana, bo] = [await connect(one, team.ana), await connect(two, team.bo)];
    const callId = await ring(ana, bo, team);
    await refuseEnds(cluster);
    await lose(ana);
    await waitUntil(() => one.logLines.some(({ msg }) => msg === 'call_work_failed'));
    expect(await bo.send('call_accept', { callId })).toEqual(DONE);
    await permitEnds(cluster);
    steady += RETRY_MS;
    const back = await connect(three, team.ana);
    expect(await back.send('call_resume', { callId })).toEqual(DONE);
    expect(await bo.next('call_resumed')).toEqual({ callId });
    expect(bo.waiting('call_over')).toEqual([]);
  });
});

describe('an end that is stored', () => {
  const CALL = { id: 'call', caller: { id: 'ana' }, callee: { id: 'bo' }, acceptedAt: null } as unknown as ActiveCall;
  const done: string[] = [];
  const createEnds = (deps: Partial<CallEndsDeps>) => {
    const ends = createCallEnds({
      ...{ live: { get: () => null }, steadyNow: () => steady, remember: vi.fn(), forget: vi.fn(), endLater: vi.fn() },
      ...{ store: async (call) => call, newest: async (call) => call, tellOver: () => void done.push('others') },
      tellEnd: async () => void done.push(`both, ${ends.get(CALL.id) === null ? 'stored' : 'ending'}`),
      tellMissed: async () => void done.push('missed'),
      ...deps,
    });
    return ends;
  };
  beforeEach(() => void done.splice(0));

  test('[RING12] is told in one order, at once and later', async () => {
    await createEnds({}).end(CALL, 'no_answer', null);
    const atOnce = done.splice(0);
    expect(atOnce).toEqual(['others', 'both, stored', 'missed']);
    const store = vi.fn<CallEndsDeps['store']>(async (call) => call).mockRejectedValueOnce(new Error('Not stored'));
    const ends = createEnds({ store });
    await expect(ends.end(CALL, 'no_answer', null)).rejects.toThrow('Not stored');
    // It is told all the same.
    expect(done.splice(0)).toEqual(['others', 'both, ending']);
    steady += RETRY_MS;
    ends.tick();
    await ends.settled();
    expect(done).toEqual(atOnce);
  });

  test.each(['at once', 'later'])('[RING12] is over and missed, even if the two can’t be told: %s', async (when) => {
    const store = vi.fn<CallEndsDeps['store']>(async (call) => call);
    const tellEnd = vi.fn<CallEndsDeps['tellEnd']>(() => Promise.reject(new Error('Not told')));
    if (when === 'later') {
      store.mockRejectedValueOnce(new Error('Not stored'));
      tellEnd.mockResolvedValueOnce();
    }
    const ends = createEnds({ store, tellEnd });
    await expect(ends.end(CALL, 'no_answer', null)).rejects.toThrow(when === 'later' ? 'Not stored' : 'Not told');
    steady += RETRY_MS;
    ends.tick();
    await ends.settled();
    expect(ends.get(CALL.id)).toBeNull();
    expect(done.filter((one) => one === 'missed')).toEqual(['missed']);
  });
});

describe('the end by a lost socket, tried again', () => {
  const SOCKET = 'socket' as ParticipantId;
  const RINGING = { id: 'call', caller: { socket: SOCKET }, callee: {}, acceptedAt: null } as unknown as ActiveCall;
  const TAKEN = { ...RINGING, acceptedAt: new Date() };
  const createResuming = (call: ActiveCall) => {
    const end = vi.fn();
    const works: Promise<unknown>[] = [];
    const deps: Partial<CallResumingDeps> = {
      ...{ learn: async () => call, end, steadyNow: () => steady },
      inBackground: (work) => void works.push(work),
    };
    const resuming = createCallResuming(deps as CallResumingDeps);
    /** Lets the time pass. @returns how often the call was ended by then */
    const passed = async (ms: number) => {
      steady += ms;
      resuming.tick();
      await Promise.all(works);
      return end.mock.calls.length;
    };
    return { ...resuming, passed };
  };

  test('[RING8] leaves a device RESUME_MS if the call was taken meanwhile', async () => {
    const { endLater, passed } = createResuming(TAKEN);
    endLater(TAKEN.id, { socket: SOCKET, mayComeBack: true });
    expect([await passed(RETRY_MS), await passed(RESUME_MS - 1), await passed(1)]).toEqual([0, 0, 1]);
  });

  test.each([
    { title: 'rings still', call: RINGING, mayComeBack: true },
    { title: 'was taken, and its page said goodbye', call: TAKEN, mayComeBack: false },
  ])('[RING8] [RING21] ends the call after a second if it $title', async ({ call, mayComeBack }) => {
    const { endLater, passed } = createResuming(call);
    endLater(call.id, { socket: SOCKET, mayComeBack });
    expect([await passed(RETRY_MS - 1), await passed(1)]).toEqual([0, 1]);
  });
});
