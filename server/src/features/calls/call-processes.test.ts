import { getMissedCalls } from '@pressel/contract/calls';
import { CALL_RING_MS } from '@pressel/contract/limits';
import { deleteUser } from '@pressel/contract/users';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { activities } from '#src/db/schema/activities.ts';
import { calls } from '#src/db/schema/calls.ts';
import { servers } from '#src/db/schema/presence.ts';
import { createRateLimit } from '#src/limits/rate-limit.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import type { Person, TestApp } from '#test/build-test-app.ts';
import { buildCluster, hasRedis, type TestCluster } from '#test/cluster.ts';
import { caughtUp, makeTeam, type Team } from '#test/factories.ts';
import type { TestSocket } from '#test/socket-client.ts';
import { createCallsService } from './calls.service.ts';

/** A session description, as far as the contract looks at it. */
const SDP = 'v=0\r\n';
const NOT_FOUND = { ok: false, code: 'not_found' };

describe.skipIf(!hasRedis)('[PROC36] a call between two processes', () => {
  let cluster: TestCluster;
  let [one, two, three] = [] as unknown as [TestApp, TestApp, TestApp];
  let team: Team;
  let steady: number;
  beforeEach(async () => {
    steady = 0;
    cluster = await buildCluster({ processes: 3, steadyNow: () => steady });
    [one, two, three] = cluster.processes as [TestApp, TestApp, TestApp];
    team = await makeTeam(one);
  });
  afterEach(() => cluster.close());

  const connect = async (t: TestApp, person: Person): Promise<TestSocket> => {
    const socket = await t.connect(person.token);
    await caughtUp(socket);
    return socket;
  };
  async function ring(ana: TestSocket) {
    const ack = await ana.send('call_start', { userId: team.bo.id });
    if (!ack.ok) throw new Error(ack.code);
    return ack.data;
  }
  /** Ana's call at the first process, taken by Bo at the second. */
  async function inCall() {
    const [ana, bo] = [await connect(one, team.ana), await connect(two, team.bo)];
    const { callId } = await ring(ana);
    await bo.next('call_ring');
    expect(await bo.send('call_accept', { callId })).toEqual({ ok: true, data: {} });
    expect(await ana.next('call_accepted')).toEqual({ callId });
    return { ana, bo, callId };
  }
  const rows = () => cluster.database.db.select().from(calls);

  test('rings at every process, and exactly one of the devices that take it at once has it', async () => {
    const ana = await connect(one, team.ana);
    const devices = [await connect(one, team.bo), await connect(two, team.bo), await connect(three, team.bo)];
    for (let round = 0; round < 3; round += 1) {
      const { callId, over } = await ring(ana);
      expect(over).toBeNull();
      for (const device of devices) expect((await device.next('call_ring')).callId).toBe(callId);
      const acks = await Promise.all(devices.map((device) => device.send('call_accept', { callId })));
      expect(acks.filter(({ ok }) => ok)).toHaveLength(1);
      expect(acks.filter(({ ok }) => !ok)).toMatchObject([NOT_FOUND, NOT_FOUND]);
      await ana.next('call_accepted');
      const winner = devices[acks.findIndex(({ ok }) => ok)] as TestSocket;
      for (const device of devices.filter((other) => other !== winner)) {
        expect(await device.next('call_over')).toEqual({ callId, reason: 'elsewhere', rejection: null });
      }
      await winner.send('call_end', { callId });
      expect(await ana.next('call_over')).toMatchObject({ callId, reason: 'hung_up' });
      await winner.next('call_over');
    }
    expect((await rows()).map(({ reason }) => reason)).toEqual(['hung_up', 'hung_up', 'hung_up']);
  });

  test('carries its signals, and ends for both by the button of either', async () => {
    const { ana, bo, callId } = await inCall();
    const signal = { type: 'offer', sdp: SDP } as const;
    expect(await bo.send('call_signal', { callId, signal })).toMatchObject({ ok: true });
    expect(await ana.next('call_signal')).toMatchObject({ callId, signal });
    expect(await ana.send('call_signal', { callId, signal: { type: 'answer', sdp: SDP } })).toMatchObject({ ok: true });
    expect(await bo.next('call_signal')).toMatchObject({ callId, signal: { type: 'answer' } });
    expect(await ana.send('ice_config', {}), 'ICE servers are for who is in a call').toMatchObject({ ok: true });
    await ana.send('call_end', { callId });
    expect(await bo.next('call_over')).toMatchObject({ callId, reason: 'hung_up' });
    expect(await bo.send('call_signal', { callId, signal })).toMatchObject(NOT_FOUND);
    const entries = cluster.database.db.select().from(activities).where(eq(activities.type, 'call'));
    expect(await entries, 'put down once').toHaveLength(1);
  });

  test('offers beyond the limit are dropped where the receiver is', async () => {
    const { ana, bo, callId } = await inCall();
    for (let n = 0; n < 25; n += 1) await bo.send('call_signal', { callId, signal: { type: 'offer', sdp: SDP } });
    await bo.send('call_signal', { callId, signal: { type: 'answer', sdp: SDP } });
    await ana.next('call_signal', ({ signal }) => signal.type === 'answer');
    // The answer was sent last, and the offers that were relayed came before it.
    expect(ana.waiting('call_signal').map(({ signal }) => signal.type)).toEqual(Array(20).fill('offer'));
  });

  test('is declined, given up, and not answered, wherever the two are', async () => {
    const [ana, bo] = [await connect(one, team.ana), await connect(two, team.bo)];
    const { callId } = await ring(ana);
    await bo.next('call_ring');
    expect(await bo.send('call_reject', { callId, rejection: 'not_now' })).toMatchObject({ ok: true });
    expect(await ana.next('call_over')).toMatchObject({ callId, reason: 'rejected', rejection: 'not_now' });
    const second = await ring(ana);
    await bo.next('call_ring');
    await ana.send('call_end', { callId: second.callId });
    expect(await bo.next('call_over', (over) => over.callId === second.callId)).toMatchObject({ reason: 'cancelled' });
    await bo.next('missed_calls', ({ count }) => count === 1);
    const third = await ring(ana);
    await bo.next('call_ring');
    steady += CALL_RING_MS;
    expect(await bo.next('call_over', (over) => over.callId === third.callId)).toMatchObject({ reason: 'no_answer' });
    expect((await two.call(getMissedCalls, {}, team.bo.token)).body.count).toBe(2);
  });

  test('rings at a device that comes while it rings, and is busy for others', async () => {
    const [ana, bo] = [await connect(one, team.ana), await connect(two, team.bo)];
    const { callId } = await ring(ana);
    await bo.next('call_ring');
    const late = await connect(three, team.bo);
    expect(await late.next('call_ring')).toMatchObject({ callId, caller: { id: team.ana.id } });
    const admin = await connect(three, team.admin);
    expect(await admin.send('call_start', { userId: team.bo.id })).toMatchObject({ ok: true, data: { over: 'busy' } });
    const other = await connect(two, team.ana);
    expect(await other.send('call_start', { userId: team.admin.id })).toMatchObject({ ok: false, code: 'in_a_call' });
    expect(await bo.send('call_start', { userId: team.admin.id })).toMatchObject({ ok: false, code: 'in_a_call' });
  });

  test('of two who call each other at once one gets through', async () => {
    const [ana, bo] = [await connect(one, team.ana), await connect(two, team.bo)];
    const acks = await Promise.all([
      ana.send('call_start', { userId: team.bo.id }),
      bo.send('call_start', { userId: team.ana.id }),
    ]);
    const rings = acks.filter((ack) => ack.ok && ack.data.over === null);
    expect(rings).toHaveLength(1);
    expect(acks.filter((ack) => !ack.ok)).toMatchObject([{ code: 'in_a_call' }]);
  });

  test('ends with the socket of either, and by the next link of one that was lost', async () => {
    const first = await inCall();
    first.bo.close();
    expect(await first.ana.next('call_over')).toMatchObject({ callId: first.callId, reason: 'lost' });
    const second = await inCall();
    // Bo's link to the second process is lost, and nobody there knows yet.
    const back = await connect(three, team.bo);
    // The call is found by the session of the link, which is that of the token.
    expect(await back.send('call_end', { callId: second.callId, isLost: true })).toMatchObject({ ok: true });
    expect(await second.ana.next('call_over')).toMatchObject({ callId: second.callId, reason: 'lost' });
    const again = await ring(second.ana);
    expect(again.over).toBeNull();
  });

  test('ends with an account that is deleted at a third process', async () => {
    const { ana } = await inCall();
    await three.call(deleteUser, { UserId: team.bo.id }, team.admin.token);
    expect(await ana.next('call_over')).toMatchObject({ reason: 'lost' });
  });

  test('whose process died is ended by another one, by the lease of the process and not by rows of sockets', async () => {
    const { callId } = await inCall();
    const { db } = cluster.database;
    const old = sql`now() - interval '2 minutes'`;
    await db.update(calls).set({ createdAt: old });
    const dead = uuidV7();
    const [live] = await rows();
    await db.insert(calls).values({
      ...(live as typeof live & object),
      id: dead,
      callerId: team.out.id,
      calleeId: team.admin.id,
      serverId: uuidV7(),
      createdAt: new Date(Date.now() - 120_000),
    });
    const told: unknown[] = [];
    const emit = (event: string, payload: unknown) => void told.push([event, payload]);
    const everybody = { emit, except: () => everybody };
    const service = createCallsService({
      ...{ db, processId: uuidV7(), log: one.app.log, now: () => new Date(), steadyNow: () => 0 },
      sockets: { to: () => everybody, find: () => null } as never,
      limit: () => createRateLimit({ attempts: 1, seconds: 1 }),
      record: async () => undefined,
      shared: { relay: { send: () => undefined, on: () => undefined } as never },
    });
    // A call that was taken has until the next sweep to go on at another process (RING8).
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await service.sweep();
    const reasons = async () => new Map((await rows()).map(({ id, reason }) => [id, reason]));
    expect(await reasons()).toEqual(
      new Map([
        [callId, null],
        [dead, 'lost'],
      ]),
    );
    // The process of the socket that took the call is gone.
    const [row] = (await rows()).filter(({ id }) => id === callId);
    await db.delete(servers).where(eq(servers.id, String(row?.calleeServerId)));
    told.length = 0;
    await service.sweep();
    expect((await reasons()).get(callId)).toBeNull();
    await service.sweep();
    expect((await reasons()).get(callId)).toBe('lost');
    // Both are told, because either may still be there.
    expect(told.filter((one) => JSON.stringify(one).includes('call_over'))).toHaveLength(2);
  });
});
