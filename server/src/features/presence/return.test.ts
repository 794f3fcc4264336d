import { updateChannel } from '@pressel/contract/channels';
import type { ParticipantId } from '@pressel/contract/ids';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, join, makeChannel, makeTeam, type Team } from '#test/factories.ts';

let t: TestApp;
let team: Team;
beforeEach(async () => {
  t = await buildTestApp();
  team = await makeTeam(t);
});
afterEach(() => t.close());

test('[PRES16] who comes back finds their channel under its new name, not another one under the old', async () => {
  const { channel } = (await enterRoom(t, team.ana, 'Nord')).state;
  await t.call(updateChannel, { channelId: team.nord, channelName: 'Nord 2' }, team.admin.token);
  await makeChannel(t, team.admin, 'Nord', [team.ana.id]);
  const ana = await t.connect(team.ana.token);
  const back = await ana.send('join_room', { room: channel.rtcSession, channelId: channel.id });
  expect(back).toMatchObject({ ok: true, data: { channel: { id: team.nord, name: 'Nord 2', rtcSession: 'Nord2' } } });
});

test('[PRES16] an id opens no channel that is not theirs', async () => {
  const ana = await t.connect(team.ana.token);
  const answer = await ana.send('join_room', { room: 'Nord', channelId: team.sud });
  expect(answer).toMatchObject({ ok: false, code: 'not_a_member' });
});

test('[PRES17] who comes back takes the place of who they were: nobody sees them twice, and the floor is free', async () => {
  const bo = await enterRoom(t, team.bo, 'Nord');
  const ghost = await enterRoom(t, team.ana, 'Nord');
  await bo.next('user joined');
  await ghost.send('floor_request', { seq: 1 });
  const ana = await t.connect(team.ana.token);
  const back = await ana.send('join_room', { room: 'Nord', channelId: team.nord, previous: ghost.id as ParticipantId });
  expect(back).toMatchObject({ ok: true, data: { participants: [{ id: bo.id }], floor: { talkers: [] } } });
  expect(await bo.next('user_exit')).toEqual({ id: ghost.id, channelId: team.nord });
  expect(await bo.next('user joined')).toMatchObject({ id: ana.id });
  expect(await ghost.disconnected).toBe('io server disconnect');
  expect(await activityLog(t)).toContain('connexion_lost Ana Nord');
});

test('[PRES17] only one’s own socket can be named, of the same session', async () => {
  const bo = await enterRoom(t, team.bo, 'Nord');
  const elsewhere = await t.connect(await t.signIn(team.ana));
  await join(elsewhere, 'Nord');
  const ana = await t.connect(team.ana.token);
  for (const previous of [bo.id, elsewhere.id, ana.id, 'nobody']) {
    expect(await ana.send('join_room', { room: 'Nord', previous: previous as ParticipantId })).toMatchObject({
      ok: true,
    });
  }
  await caughtUp(bo, elsewhere, ana);
  expect([bo, elsewhere, ana].map(({ raw }) => raw.connected)).toEqual([true, true, true]);
});

test('[PRES17] two sockets that name each other don’t wait for each other', async () => {
  const one = await enterRoom(t, team.ana, 'Nord');
  const two = await enterRoom(t, team.ana, 'Nord');
  const ends = [one.disconnected, two.disconnected];
  one.raw.emit('join_room', { room: 'Nord', previous: two.id as ParticipantId }, () => undefined);
  two.raw.emit('join_room', { room: 'Nord', previous: one.id as ParticipantId }, () => undefined);
  await Promise.race(ends);
  const bo = await enterRoom(t, team.bo, 'Nord');
  expect(await bo.send('beat', { version: bo.state.floor.version })).toMatchObject({ ok: true });
});
