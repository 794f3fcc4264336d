import { deleteUserFromChannel } from '@pressel/contract/channels';
import { withdrawGuestLink } from '@pressel/contract/guests';
import { FLOOR_LEASE_MS } from '@pressel/contract/limits';
import { deleteUser, updateUserData } from '@pressel/contract/users';
import type { FloorNews } from '@pressel/contract/voice';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { alone } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, makeTeam, type Team } from '#test/factories.ts';
import { enterByLink, makeLink } from '#test/guests.ts';
import type { TestSocket } from '#test/socket-client.ts';
import { openTestDatabase } from '#test/test-database.ts';

// Floors of several processes stay in the database for as long as a lease lasts, whatever clients bring: test/faults is about those.
const { test, describe } = alone('one process has its floors in memory, and a clock of its own');

let database: Database;
let before: TestApp;
let t: TestApp;
let team: Team;
let floorKey: string;
/** The floor that Ana had when the server ended, and what she resumes with. */
let evidence: FloorNews;
/** The floor before it. */
let idle: FloorNews;
let resume: string | null;
let anaId: string;
/** The news of the floor that Bo got while the server ended. */
let toldBo: unknown[];
beforeEach(async () => {
  database = await openTestDatabase();
  before = await buildTestApp({ database });
  team = await makeTeam(before);
  const ana = await before.connect(team.ana.token);
  const entered = await ana.send('join_room', { room: 'Nord', resume: null });
  if (!entered.ok) throw new Error(entered.code);
  ({ floorKey, resume } = entered.data);
  anaId = ana.id;
  const bo = await enterRoom(before, team.bo, 'Nord');
  idle = bo.state.floor;
  await ana.send('floor_request', { seq: 1 });
  evidence = await ana.next('floor_changed');
  await bo.next('floor_changed');
  await before.close();
  await bo.disconnected;
  toldBo = bo.waiting('floor_changed');
  t = await buildTestApp({ database, floorRecoveryMs: FLOOR_LEASE_MS });
});
afterEach(async () => {
  await t.close();
  await database.close();
});

test('[TALK150] who comes back after a restart brings the floor along, and the key is still the same', async () => {
  const bo = await t.connect(team.bo.token);
  const answer = await bo.send('join_room', { room: 'Nord', floor: evidence });
  expect(answer).toMatchObject({ ok: true, data: { floorKey, floor: { version: evidence.version } } });
  expect(answer.ok && answer.data.floor.talkers.map(({ name }) => name)).toEqual(['Ana Test']);
});

test('[TALK151] the talker resumes as the same participant, and the talk goes on', async () => {
  expect(toldBo).toEqual([]);
  const ana = await t.connect(team.ana.token);
  const answer = await ana.send('join_room', { room: 'Nord', resume, floor: evidence, claim: 1 });
  expect(answer).toMatchObject({ ok: true, data: { self: { id: anaId }, floor: { talkers: [{ id: anaId }] } } });
  expect(await ana.send('floor_release', { seq: 2 })).toMatchObject({ data: { type: 'released' } });
  expect((await ana.next('floor_changed')).talkers).toMatchObject([{ id: anaId }]);
  expect((await ana.next('floor_changed')).talkers).toEqual([]);
  const last = await ana.send('last_talks', {});
  expect(last.ok && last.data.talks).toHaveLength(1);
});

test('[TALK151] without a claim of one’s own the talk is over, and nobody claims another one’s', async () => {
  const ana = await t.connect(team.ana.token);
  const stranger = await t.connect(team.bo.token);
  const theirs = await stranger.send('join_room', { room: 'Nord', resume, floor: evidence, claim: 1 });
  expect(theirs).toMatchObject({ ok: true, data: { self: { id: stranger.id } } });
  await stranger.send('floor_renew', { seq: 1 });
  expect(await stranger.send('floor_release', { seq: 2 })).toMatchObject({ ok: true });
  expect((await stranger.next('floor_changed')).talkers).toMatchObject([{ id: anaId }]);
  const answer = await ana.send('join_room', { room: 'Nord', resume });
  expect(answer).toMatchObject({ ok: true, data: { floor: { talkers: [] } } });
});

test('[TALK150] who may not enter brings nothing along', async () => {
  const out = await t.connect(team.out.token);
  expect(await out.send('join_room', { room: 'Nord', floor: evidence })).toMatchObject({ code: 'not_a_member' });
  const { state } = await enterRoom(t, team.bo, 'Nord');
  expect(state.floor.talkers).toEqual([]);
});

test('[TALK152] the time to come back begins when the server listens, however long its start takes', async () => {
  await t.close();
  let now = 0;
  t = await buildTestApp({
    ...{ database, floorRecoveryMs: FLOOR_LEASE_MS, steadyNow: () => now },
    beforeListening() {
      now += 2 * FLOOR_LEASE_MS;
    },
  });
  const bo = await enterRoom(t, team.bo, 'Nord');
  const asked = vi.fn();
  const answer = bo.send('floor_request', { seq: 1 });
  void answer.then(asked);
  await caughtUp(bo);
  const ana = await t.connect(team.ana.token);
  const back = await ana.send('join_room', { room: 'Nord', resume, floor: evidence, claim: 1 });
  expect(back).toMatchObject({ ok: true, data: { floor: { talkers: [{ id: anaId }] } } });
  expect(asked).not.toHaveBeenCalled();
  await ana.send('floor_release', { seq: 2 });
  now += FLOOR_LEASE_MS;
  expect(await answer).toMatchObject({ data: { type: 'granted' } });
});

test.each([
  { order: 'the talker first', names: ['ana', 'bo', 'admin'] as const },
  { order: 'the talker last', names: ['admin', 'bo', 'ana'] as const },
])('[TALK161] when the last one is back all show the same floor: $order', async ({ names }) => {
  const brings = { ana: { resume, floor: evidence, claim: 1 }, bo: { floor: idle }, admin: {} };
  const back: { socket: TestSocket; floor: FloorNews }[] = [];
  let ana: TestSocket | undefined;
  for (const name of names) {
    const socket = await t.connect(team[name].token);
    const answer = await socket.send('join_room', { room: 'Nord', ...brings[name] });
    if (!answer.ok) throw new Error(answer.code);
    back.push({ socket, floor: answer.data.floor });
    if (name === 'ana') ana = socket;
    // On a slow machine the others come later than a lease lasts, so she renews hers.
    await ana?.send('floor_renew', { seq: 1 });
  }
  await caughtUp(...back.map(({ socket }) => socket));
  const shown = back.map(({ socket, floor }) => socket.waiting('floor_changed').at(-1) ?? floor);
  for (const floor of shown) {
    expect(floor).toMatchObject({ version: shown[0]?.version, talkers: [{ id: anaId }] });
    expect(floor.talkers).toHaveLength(1);
  }
});

describe('a talker who may not be in the room any more', () => {
  /** Keeps the lease from ending, so that the removal ends the talk. */
  const standStill = async () => {
    await t.close();
    t = await buildTestApp({ database, floorRecoveryMs: FLOOR_LEASE_MS, steadyNow: () => 1_000 });
  };
  const remove = () => t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
  const erase = () => t.call(deleteUser, { UserId: team.ana.id }, team.admin.token);
  const setRole = (role: 'admin' | 'member') =>
    t.call(updateUserData, { id: team.ana.id, firstName: 'Ana', lastName: 'Test', role }, team.admin.token);
  /** Lets her stay in the room as an administrator, who needs no membership, until her role changes. */
  const demote = async () => {
    await setRole('admin');
    await remove();
    return () => setRole('member');
  };

  test.each([
    { how: 'was removed', end: async () => remove },
    { how: 'was deleted', end: async () => erase },
    { how: 'was an administrator from outside', end: demote },
  ])('[TALK160] who $how isn’t brought back by evidence, nor stays if it came before', async ({ end }) => {
    await standStill();
    const act = await end();
    const bo = await t.connect(team.bo.token);
    const shown = await bo.send('join_room', { room: 'Nord', floor: evidence });
    expect(shown).toMatchObject({ ok: true, data: { floor: { talkers: [{ id: anaId }] } } });
    expect(await bo.next('floor_changed')).toMatchObject({ talkers: [{ id: anaId }] });
    expect((await act()).status).toBe(200);
    expect(await bo.next('floor_changed')).toMatchObject({ talkers: [] });
    await standStill();
    const again = await t.connect(team.bo.token);
    const answer = await again.send('join_room', { room: 'Nord', floor: evidence });
    expect(answer).toMatchObject({ ok: true, data: { floor: { talkers: [] } } });
  });

  test('[TALK160] a guest is brought back by evidence until their link is withdrawn', async () => {
    await t.close();
    t = await buildTestApp({ database });
    const link = await makeLink(t, team.admin, team.nord);
    const julie = await enterByLink(t, link, 'Nord');
    await julie.send('floor_request', { seq: 1 });
    const floor = await julie.next('floor_changed');
    await standStill();
    const bo = await t.connect(team.bo.token);
    const shown = await bo.send('join_room', { room: 'Nord', floor });
    expect(shown).toMatchObject({ ok: true, data: { floor: { talkers: [{ id: julie.id }] } } });
    expect(await bo.next('floor_changed')).toMatchObject({ talkers: [{ id: julie.id }] });
    await t.call(withdrawGuestLink, { linkId: link.id }, team.admin.token);
    expect(await bo.next('floor_changed')).toMatchObject({ talkers: [] });
  });
});

test('[TALK150] what is no floor is refused; one that is badly signed, however large, changes nothing', async () => {
  const bo = await t.connect(team.bo.token);
  const brings = (floor: unknown) => bo.send('join_room', { room: 'Nord', floor } as never);
  for (const floor of [null, {}, 'floor', { ...evidence, signedAt: -1 }, { ...evidence, signature: 'A'.repeat(87) }]) {
    expect(await brings(floor), JSON.stringify(floor)).toMatchObject({ ok: false, code: 'malformed' });
  }
  expect(await bo.send('join_room', { room: 'Nord', claim: -1 })).toMatchObject({ ok: false, code: 'malformed' });
  const many = Array.from({ length: 500 }, () => evidence.talkers[0]);
  for (const forged of [
    { ...evidence, signature: 'A'.repeat(86) },
    { ...evidence, talkers: many },
  ]) {
    expect(await brings(forged)).toMatchObject({ ok: true, data: { floor: { talkers: [] } } });
  }
});
