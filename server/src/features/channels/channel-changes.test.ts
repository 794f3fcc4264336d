import {
  deleteChannel,
  deleteUserFromChannel,
  getAllChannels,
  updateChannel,
  updateUserChannels,
} from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, makeTeam, type Team } from '#test/factories.ts';

const unknown = uuidV7();

describe('changing channels', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const channelOf = async (id: ChannelId) =>
    (await t.call(getAllChannels, {}, team.admin.token)).body.res.find((channel) => channel.id === id);
  const membersOf = async (id: ChannelId) => (await channelOf(id))?.users?.map((user) => user.id).toSorted();

  test('a rename changes the room key, is logged, reaches other screens, and the live room goes on', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    const admin = await t.connect(team.admin.token);
    await caughtUp(admin);
    const { status, body } = await t.call(
      updateChannel,
      { channelId: team.nord, channelName: 'Grand Nord' },
      team.admin.token,
    );
    expect([status, body.res]).toEqual([200, { id: team.nord, rtcSession: 'GrandNord' }]);
    expect(await channelOf(team.nord)).toMatchObject({ name: 'Grand Nord', rtcSession: 'GrandNord', connected: 2 });
    expect(await admin.next('changed')).toMatchObject({ what: 'channels', channelId: team.nord });
    await ana.send('floor_request', { seq: 1 });
    await bo.next('floor_changed', ({ talkers }) => talkers.length === 1);
    expect(await activityLog(t)).toContain('channel_update Admin Grand Nord');
    expect(await ana.send('join_room', { room: 'Nord' })).toMatchObject({ ok: false, code: 'not_found' });
  });

  test('a name whose key another channel has is refused and changes nothing', async () => {
    const change = { channelId: team.nord, channelName: ' S u d', userList: [team.out.id] };
    const { status, body } = await t.call(updateChannel, change, team.admin.token);
    expect([status, body.code]).toEqual([409, 'duplicate_channel']);
    expect(await channelOf(team.nord)).toMatchObject({ name: 'Nord' });
    expect(await membersOf(team.nord)).toEqual([team.ana.id, team.bo.id].toSorted());
  });

  test('name, talk mode and members change in one go, and the floor follows the mode', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const change = {
      channelId: team.nord,
      channelName: 'Nord',
      talkMode: 'open' as const,
      userList: [team.bo.id, team.out.id],
    };
    expect((await t.call(updateChannel, change, team.admin.token)).status).toBe(200);
    expect(await membersOf(team.nord)).toEqual([team.bo.id, team.out.id].toSorted());
    expect(await bo.next('floor_changed')).toMatchObject({ mode: 'open' });
  });

  test('an unknown user in the list leaves everything as it was', async () => {
    const userList = [team.out.id, unknown as UserId];
    const change = { channelId: team.nord, channelName: 'Other', userList };
    expect((await t.call(updateChannel, change, team.admin.token)).status).toBe(404);
    expect(await channelOf(team.nord)).toMatchObject({ name: 'Nord' });
    expect(await membersOf(team.nord)).toEqual([team.ana.id, team.bo.id].toSorted());
  });

  test('updateUserChannels sets exactly the members, and who is none any more leaves the room', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const list = { channelId: team.nord, userList: [team.bo.id, team.out.id, team.out.id] };
    expect((await t.call(updateUserChannels, list, team.admin.token)).status).toBe(200);
    expect(await ana.next('room_closed')).toMatchObject({ channelId: team.nord, reason: 'removed' });
    expect(await membersOf(team.nord)).toEqual([team.bo.id, team.out.id].toSorted());
  });

  test('concurrent replacements of the members end in one of the lists, never a mixture', async () => {
    const lists = [[team.ana.id], [team.bo.id], [team.out.id]];
    await Promise.all(
      lists.map((userList) => t.call(updateUserChannels, { channelId: team.nord, userList }, team.admin.token)),
    );
    expect(await membersOf(team.nord)).toHaveLength(1);
  });

  test('a deleted channel is gone, its room is closed with a notice, its activities stay', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const admin = await enterRoom(t, team.admin, 'Nord');
    await caughtUp(admin);
    expect((await t.call(deleteChannel, { channelId: team.nord }, team.admin.token)).status).toBe(200);
    const news = { what: 'channels', channelId: team.nord, isGone: true };
    expect(await admin.next('changed', ({ what }) => what === 'channels')).toEqual(news);
    for (const socket of [ana, admin]) {
      expect(await socket.next('room_closed')).toMatchObject({ channelId: team.nord, reason: 'deleted' });
    }
    expect(await channelOf(team.nord)).toBeUndefined();
    expect(await ana.send('join_room', { room: 'Nord' })).toMatchObject({ ok: false, code: 'not_found' });
    expect(await activityLog(t)).toEqual(
      expect.arrayContaining(['channel_join Ana Nord', 'channel_delete Admin Nord']),
    );
    expect((await t.call(deleteChannel, { channelId: team.nord }, team.admin.token)).status).toBe(404);
  });

  test('an administrator who ceases to be a member stays in the room', async () => {
    const list = { channelId: team.nord, userList: [team.admin.id, team.ana.id] };
    await t.call(updateUserChannels, list, team.admin.token);
    const admin = await enterRoom(t, team.admin, 'Nord');
    const ana = await enterRoom(t, team.ana, 'Nord');
    const both = { userId: team.admin.id, channelId: team.nord };
    await t.call(deleteUserFromChannel, both, team.admin.token);
    await t.call(deleteUserFromChannel, { ...both, userId: team.ana.id }, team.admin.token);
    await ana.next('room_closed');
    expect(admin.waiting('room_closed')).toEqual([]);
    expect(await admin.send('floor_request', { seq: 1 })).toMatchObject({ ok: true, data: { type: 'granted' } });
  });

  test.each([updateChannel, deleteChannel, updateUserChannels])('$path knows no unknown channel', async ({ path }) => {
    const body = { channelId: unknown, channelName: 'X', userList: [] };
    expect(await t.post(path, body, team.admin.token)).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
