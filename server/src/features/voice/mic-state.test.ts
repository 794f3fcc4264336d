import { FLOOR_LEASE_MS, TALK_MAX_MS } from '@pressel/contract/limits';
import { updateUserMicState } from '@pressel/contract/voice';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, join, makeTeam, type Team } from '#test/factories.ts';
import type { TestSocket } from '#test/socket-client.ts';
import { waitUntil } from '#test/wait-until.ts';

let t: TestApp;
let team: Team;
/** The floor's clock, advanced only by tests. */
let steady: number;
beforeEach(async () => {
  steady = 1_000;
  t = await buildTestApp({ steadyNow: () => steady });
  team = await makeTeam(t);
});
afterEach(async () => {
  await t.close();
  expect(t.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

const toggle = async (socket: TestSocket) => {
  const ack = await socket.send('micStateChange', { id: socket.id });
  return ack.ok ? ack.data.type : ack.code;
};

/** The layer below a test's socket. */
interface Inside {
  on(event: 'packetCreate', told: (packet: { type: string }) => void): void;
  transport: { ws: { pause(): void; resume(): void } };
}
const insideOf = ({ raw }: TestSocket) => raw.io.engine as unknown as Inside;

/** Counts a socket's answers to the transport's pings. */
const pongsOf = (socket: TestSocket) => {
  const pongs = { count: 0 };
  insideOf(socket).on('packetCreate', ({ type }) => {
    if (type === 'pong') pongs.count += 1;
  });
  return pongs;
};

test('[TALK32] administrators and members outside the room hear who talks there, strangers and those inside do not', async () => {
  const inside = await enterRoom(t, team.ana, 'Nord');
  const outside = await t.connect(team.bo.token);
  const admin = await t.connect(team.admin.token);
  const stranger = await t.connect((await t.signUp('Zoe', team.admin.token)).token);
  const ana = { userId: team.ana.id, name: 'Ana Test' };
  await inside.send('micStateChange', { micState: true });
  expect(await outside.next('talkers_changed')).toEqual({ channelId: team.nord, talkers: [ana] });
  await inside.send('micStateChange', { micState: false });
  expect(await outside.next('talkers_changed')).toEqual({ channelId: team.nord, talkers: [] });
  expect(await admin.next('talkers_changed')).toEqual({ channelId: team.nord, talkers: [ana] });
  await caughtUp(inside, stranger);
  expect(inside.waiting('talkers_changed')).toEqual([]);
  expect(stranger.waiting('talkers_changed')).toEqual([]);
});

describe('[TALK27] micStateChange with a state', () => {
  test('on asks and off releases; the id in the payload is not heeded', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    const on = await ana.send('micStateChange', { id: bo.id, micState: true });
    expect(on).toMatchObject({ ok: true, data: { type: 'granted', talkMs: TALK_MAX_MS, leaseMs: FLOOR_LEASE_MS } });
    expect(await bo.next('onMicStateChanged')).toMatchObject({ id: ana.id, micState: true });
    expect(await bo.send('micStateChange', { micState: true })).toMatchObject({ ok: true, data: { type: 'queued' } });
    expect(await ana.send('micStateChange', { micState: false })).toMatchObject({ data: { type: 'released' } });
    expect(await bo.next('floor_reply')).toMatchObject({ type: 'granted' });
    expect(await bo.next('onMicStateChanged')).toMatchObject({ id: ana.id, micState: false });
    expect(await bo.next('onMicStateChanged')).toMatchObject({ id: bo.id, micState: true });
  });

  test('off of another does not release the talker', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    await ana.send('micStateChange', { micState: true });
    await bo.send('micStateChange', { id: ana.id, micState: false });
    const { state } = await enterRoom(t, team.admin, 'Nord');
    expect(state.floor.talkers).toMatchObject([{ id: ana.id }]);
  });
});

describe('[TALK27] micStateChange without a state', () => {
  test('turns on, off and on again', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    expect([await toggle(ana), await toggle(ana), await toggle(ana)]).toEqual(['granted', 'released', 'granted']);
    expect([await toggle(bo), await toggle(bo)]).toEqual(['queued', 'released']);
    for (const micState of [true, false, true]) {
      expect(await bo.next('onMicStateChanged')).toMatchObject({ id: ana.id, micState });
    }
  });

  test('follows the last state that was given', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    await ana.send('micStateChange', { micState: true });
    expect(await toggle(ana)).toBe('released');
    await ana.send('micStateChange', { micState: false });
    expect(await toggle(ana)).toBe('granted');
  });

  test('[TALK9] after the floor was taken away, ends the press and does not ask anew', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const admin = await enterRoom(t, team.admin, 'Nord');
    await toggle(ana);
    await toggle(admin);
    expect(await ana.next('floor_reply')).toMatchObject({ type: 'revoked', reason: 'preempted' });
    await toggle(admin);
    expect(await toggle(ana)).toBe('released');
    expect((await enterRoom(t, team.bo, 'Nord')).state.floor.talkers).toEqual([]);
    expect(await toggle(ana)).toBe('granted');
  });

  test('begins anew in each room that is entered', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    expect(await toggle(ana)).toBe('granted');
    await join(ana, 'Nord');
    expect(await toggle(ana)).toBe('granted');
    await ana.send('leave_room', {});
    expect(await toggle(ana)).toBe('not_in_room');
  });
});

describe('[TALK27] the lease', () => {
  test('is renewed by the answers to the transport’s pings, which come more often while one talks', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const listener = pongsOf(bo);
    const ana = await enterRoom(t, team.ana, 'Nord');
    const talker = pongsOf(ana);
    await toggle(ana);
    for (let lease = 0; lease < 3; lease += 1) {
      steady += FLOOR_LEASE_MS - 1;
      const before = talker.count;
      await waitUntil(() => talker.count > before);
      // The answer comes after the pong, which the server has therefore read.
      await ana.send('floor_renew', { seq: 0 });
    }
    expect(listener.count, 'pings of who only listens').toBeLessThan(talker.count);
    steady += FLOOR_LEASE_MS - 1;
    const { state } = await enterRoom(t, team.admin, 'Nord');
    expect(state.floor.talkers).toMatchObject([{ id: ana.id }]);
    expect(ana.waiting('floor_reply')).toEqual([]);
  });

  test('is renewed by any packet, and the pings end with the claim', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const talker = pongsOf(ana);
    await toggle(ana);
    steady += FLOOR_LEASE_MS - 1;
    await ana.send('ice_config', {});
    steady += 1;
    const { state } = await enterRoom(t, team.bo, 'Nord');
    expect(state.floor.talkers).toMatchObject([{ id: ana.id }]);
    await waitUntil(() => talker.count > 0);
    await toggle(ana);
    const admin = await enterRoom(t, team.admin, 'Nord');
    // Another participant is pinged three times after the next look at ana's claim, and ana is not.
    await toggle(admin);
    const other = pongsOf(admin);
    await waitUntil(() => other.count >= 1);
    const before = talker.count;
    await waitUntil(() => other.count >= 4);
    expect(talker.count).toBeLessThan(before + 3);
  });

  test('[TALK11] ends soon when the page hangs with its socket open', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    await toggle(ana);
    insideOf(ana).transport.ws.pause();
    // The time is the real one, because what ana had answered before may still come in and renew the lease.
    const past = steady - performance.now();
    await waitUntil(() => {
      steady = past + performance.now();
      return bo.waiting('onMicStateChanged').some(({ micState }) => !micState);
    });
    insideOf(ana).transport.ws.resume();
    expect(await ana.next('floor_reply')).toMatchObject({ type: 'revoked', reason: 'lease_expired' });
  });
});

describe('[TALK31] updateUserMicState', () => {
  const report = async (person: { token: string }, micState: boolean, channelName = 'Nord') => {
    const { status, body } = await t.call(updateUserMicState, { micState, channelName }, person.token);
    return status === 200 ? ((body as { floor: { type: string } | null }).floor?.type ?? 'noted') : status;
  };

  test('claims and releases the floor for a client that does so in no other way', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    expect(await report(team.ana, true)).toBe('granted');
    expect(await bo.next('onMicStateChanged')).toMatchObject({ id: ana.id, micState: true });
    expect(await report(team.bo, true)).toBe('queued');
    expect(await report(team.ana, false)).toBe('released');
    expect(await bo.next('floor_reply')).toMatchObject({ type: 'granted' });
  });

  test('changes nothing beside numbered requests, which may arrive before or after it', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ data: { type: 'granted' } });
    expect(await report(team.ana, false)).toBe('noted');
    expect(await ana.send('floor_release', { seq: 2 })).toMatchObject({ data: { type: 'released' } });
    expect(await report(team.ana, true)).toBe('noted');
    const bo = await enterRoom(t, team.bo, 'Nord');
    expect(await bo.send('floor_request', { seq: 1 })).toMatchObject({ data: { type: 'granted' } });
  });

  test('is refused outside of the room, in another’s name, and without a session', async () => {
    await enterRoom(t, team.ana, 'Nord');
    expect(await report(team.ana, true, 'Sud')).toBe(409);
    expect(await report(team.bo, true)).toBe(409);
    const { id } = team.bo;
    const forged = await t.call(
      updateUserMicState,
      { userId: id, micState: true, channelName: 'Nord' },
      team.ana.token,
    );
    expect(forged.status).toBe(403);
    expect((await t.call(updateUserMicState, { micState: true, channelName: 'Nord' })).status).toBe(401);
  });
});
