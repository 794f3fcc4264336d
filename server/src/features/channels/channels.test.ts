import {
  addUserToChannel,
  connectAdminToChannel,
  createChannel,
  deleteUserFromChannel,
  getAllChannels,
  getUsersInChannel,
} from '@pressel/contract/channels';
import { failure } from '@pressel/contract/errors';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, makeChannel, makeTeam, type Team } from '#test/factories.ts';

const NOBODY = '01900000-0000-7000-8000-00000000ffff';

describe('channels', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const channelNames = async (token: string) =>
    (await t.call(getAllChannels, {}, token)).body.res.map((channel) => channel.name);
  const members = (channelId: ChannelId, token: string) => t.call(getUsersInChannel, { channelId }, token);

  test.each([getAllChannels, getUsersInChannel, createChannel, addUserToChannel, deleteUserFromChannel])(
    '$path refuses who has no token',
    async (call) => {
      const { status, body } = await t.post(call.path, {});
      expect([status, body.code]).toEqual([401, 'unauthenticated']);
    },
  );

  test.each([createChannel, addUserToChannel, deleteUserFromChannel])('$path refuses members', async (call) => {
    const everything = { channelName: 'New', userId: team.out.id, channelId: team.nord };
    const { status, body } = await t.post(call.path, everything, team.ana.token);
    expect([status, body.code]).toEqual([403, 'forbidden']);
    expect(await channelNames(team.admin.token)).toEqual(['Nord', 'Sud']);
  });

  test.each([
    [getUsersInChannel, { channelId: 'Nord' }, 'channelId'],
    [getUsersInChannel, {}, 'channelId'],
    [createChannel, {}, 'channelName'],
    [createChannel, { channelName: ' \t\n' }, 'channelName'],
    [createChannel, { channelName: '\u200b\u2060' }, 'channelName'],
    [createChannel, { channelName: '\u200e\u200f' }, 'channelName'],
    [createChannel, { channelName: 'x'.repeat(101) }, 'channelName'],
    [createChannel, { channelName: ['Nord'] }, 'channelName'],
    [createChannel, { channelName: 'New', talkMode: 'shout' }, 'talkMode'],
    [createChannel, { channelName: 'New', userList: ['x'] }, 'userList.0'],
    [createChannel, { channelName: 'New', userList: Array(10_001).fill(NOBODY) }, 'userList'],
    [addUserToChannel, { userId: NOBODY }, 'channelId'],
    [deleteUserFromChannel, { channelId: NOBODY, userId: 7 }, 'userId'],
  ] as const)('%o refuses %j and names the field', async (call, input, path) => {
    const { status, body } = await t.post(call.path, input, team.admin.token);
    expect([status, body.code]).toEqual([400, 'malformed']);
    const { issues } = failure.parse(body).params;
    expect([...new Set(issues?.map((issue) => issue.path))]).toEqual([path]);
  });

  test('unknown channels, users and memberships are not found, and say which', async () => {
    const { admin, ana, nord } = team;
    const unknown = { userId: NOBODY as UserId, channelId: NOBODY as ChannelId };
    const replies = [
      await members(unknown.channelId, admin.token),
      await t.call(addUserToChannel, { ...unknown, userId: ana.id }, admin.token),
      await t.call(addUserToChannel, { ...unknown, channelId: nord }, admin.token),
      await t.call(deleteUserFromChannel, { ...unknown, userId: ana.id }, admin.token),
      await t.call(deleteUserFromChannel, { ...unknown, channelId: nord }, admin.token),
      await t.call(createChannel, { channelName: 'New', userList: [ana.id, unknown.userId] }, admin.token),
    ];
    expect(replies.map(({ status, body }) => [status, body.params?.what])).toEqual(
      ['channel', 'channel', 'user', 'channel', 'member', 'user'].map((what) => [404, what]),
    );
    expect(await channelNames(admin.token)).toEqual(['Nord', 'Sud']);
  });

  test.each([
    ['Équipe d’été', 'E\u0301quipe d’e\u0301te\u0301'],
    ['Équipe d’été', ' Équipe\u00a0d’été  '],
    ['Team 1', 'Team\t1'],
    ['Team 1', 'Te\u200bam1'],
    ['Team 1', '\u200fTeam 1\u200e'],
    ['❤', '❤\ufe0f'],
  ])('a second channel of the same room key is a duplicate: %j, %j', async (first, second) => {
    await makeChannel(t, team.admin, first);
    const { status, body } = await t.call(createChannel, { channelName: second }, team.admin.token);
    expect([status, body.code]).toEqual([409, 'duplicate_channel']);
  });

  test('of ten simultaneous creations of one name exactly one succeeds', async () => {
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => t.call(createChannel, { channelName: 'New' }, team.admin.token)),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)]);
    expect(await channelNames(team.admin.token)).toEqual(['New', 'Nord', 'Sud']);
  });

  test.each([
    'قناة الشمال',
    'ערוץ 1',
    'ข้าวผัด',
    '🚒🚑 Secours 👩‍🚒',
    `Z${'\u0300'.repeat(98)}`,
    'a'.repeat(100),
    "Robert'); drop table channels;--",
    '<script>alert(1)</script>',
    '../../etc/passwd?#%00',
    '__proto__',
    'constructor',
  ])('a channel may be called %j, and its room can be entered', async (name) => {
    await makeChannel(t, team.admin, name, [team.ana.id]);
    const { body } = await t.call(getAllChannels, {}, team.ana.token);
    const made = body.res.find((channel) => channel.name === name);
    expect(made?.users).toEqual([{ id: team.ana.id }]);
    const { state } = await enterRoom(t, team.ana, String(made?.rtcSession));
    expect(state.channel).toMatchObject({ name, talkMode: 'single' });
  });

  test('the room key is made from the name, whatever the caller says', async () => {
    const { body } = await t.call(
      createChannel,
      { channelName: 'Équipe de nuit', channelRtcSession: 'Nord', userId: team.ana.id },
      team.admin.token,
    );
    expect(body.res.rtcSession).toBe('Équipedenuit');
  });

  test('a member sees their own channels alone, an administrator all, both by name', async () => {
    await makeChannel(t, team.admin, 'alpha', [team.ana.id]);
    await makeChannel(t, team.admin, 'Beta');
    expect(await channelNames(team.admin.token)).toEqual(['alpha', 'Beta', 'Nord', 'Sud']);
    expect(await channelNames(team.ana.token)).toEqual(['alpha', 'Nord']);
    expect(await channelNames(team.out.token)).toEqual(['Sud']);
  });

  test('the members of a channel are for its members and administrators only', async () => {
    expect((await members(team.nord, team.ana.token)).body.res.map(({ firstName }) => firstName)).toEqual([
      'Ana',
      'Bo',
    ]);
    expect((await members(team.nord, team.admin.token)).status).toBe(200);
    const outsider = await members(team.nord, team.out.token);
    expect([outsider.status, outsider.body.code]).toEqual([403, 'not_a_member']);
    expect(outsider.body.res).toBeUndefined();
  });

  test('no password, login or phone number of others reaches a member', async () => {
    const { body } = await t.post(getUsersInChannel.path, { channelId: team.nord }, team.ana.token);
    const [member] = body.res as Record<string, unknown>[];
    expect(Object.keys(member ?? {}).toSorted()).toEqual(
      ['display_name', 'firstName', 'id', 'lastName', 'photo_url', 'pseudo', 'role', 'user_sockets'].toSorted(),
    );
    expect(JSON.stringify(body)).not.toMatch(/argon2|example\.org/);
  });

  test('memberships are made once and ended once', async () => {
    const both = { userId: team.out.id, channelId: team.nord };
    const twice = [
      await t.call(addUserToChannel, both, team.admin.token),
      await t.call(addUserToChannel, both, team.admin.token),
    ];
    expect(twice.map(({ status }) => status)).toEqual([200, 200]);
    expect((await members(team.nord, team.out.token)).body.res).toHaveLength(3);
    const ends = [
      await t.call(deleteUserFromChannel, both, team.admin.token),
      await t.call(deleteUserFromChannel, both, team.admin.token),
    ];
    expect(ends.map(({ status }) => status)).toEqual([200, 404]);
    expect((await members(team.nord, team.out.token)).status).toBe(403);
  });

  test('a new channel is news for administrators and its members, for nobody else', async () => {
    const [admin, ana, out] = await Promise.all(
      [team.admin, team.ana, team.out].map((person) => t.connect(person.token)),
    );
    if (!admin || !ana || !out) throw new Error('not connected');
    await caughtUp(admin, ana, out);
    const channelId = await makeChannel(t, team.admin, 'New', [team.ana.id]);
    const news = { what: 'channels', channelId };
    expect(await admin.next('changed')).toEqual(news);
    expect(await ana.next('changed')).toEqual(news);
    await caughtUp(out);
    expect(out.waiting('changed')).toEqual([]);
  });

  test('who is added hears of the channel and from then on its news; who is removed hears of the end, then nothing', async () => {
    const { admin, out, bo, nord } = team;
    const socket = await t.connect(out.token);
    await caughtUp(socket);
    await t.call(addUserToChannel, { userId: out.id, channelId: nord }, admin.token);
    const news = { what: 'memberships', channelId: nord, userIds: [out.id] };
    expect(await socket.next('changed')).toEqual(news);
    await t.call(deleteUserFromChannel, { userId: bo.id, channelId: nord }, admin.token);
    expect(await socket.next('changed')).toEqual({ ...news, userIds: [bo.id] });

    await t.call(deleteUserFromChannel, { userId: out.id, channelId: nord }, admin.token);
    expect(await socket.next('changed')).toEqual(news);
    await t.call(addUserToChannel, { userId: bo.id, channelId: nord }, admin.token);
    await caughtUp(socket);
    expect(socket.waiting('changed')).toEqual([]);
  });

  test('membership news reach administrators and the members, not outsiders', async () => {
    const admin = await t.connect(team.admin.token);
    const ana = await t.connect(team.ana.token);
    const out = await t.connect(team.out.token);
    await caughtUp(admin, ana, out);
    await t.call(deleteUserFromChannel, { userId: team.bo.id, channelId: team.nord }, team.admin.token);
    const news = { what: 'memberships', channelId: team.nord, userIds: [team.bo.id] };
    expect(await admin.next('changed')).toEqual(news);
    expect(await ana.next('changed')).toEqual(news);
    await caughtUp(out);
    expect(out.waiting('changed')).toEqual([]);
  });

  test('removal takes the user out of the room at once, in all their tabs, and out of no other room', async () => {
    await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
    const first = await enterRoom(t, team.ana, 'Nord');
    const second = await enterRoom(t, team.ana, 'Nord');
    const elsewhere = await enterRoom(t, team.ana, 'Sud');
    const bo = await enterRoom(t, team.bo, 'Nord');
    await t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
    for (const tab of [first, second]) {
      expect(await tab.next('room_closed')).toEqual({ channelId: team.nord, reason: 'removed' });
      await bo.next('user_exit', ({ id }) => id === tab.id);
      expect(await tab.send('floor_request', { seq: 1 })).toMatchObject({ ok: false, code: 'not_in_room' });
      expect(await tab.send('join_room', { room: 'Nord' })).toMatchObject({ ok: false, code: 'not_a_member' });
    }
    expect(elsewhere.waiting('room_closed')).toEqual([]);
    expect(await elsewhere.send('floor_request', { seq: 1 })).toMatchObject({ ok: true });
  });

  test('[TALK12] who is removed while talking loses the floor, and both the talker and the others are told', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    await ana.send('floor_request', { seq: 1 });
    await bo.send('floor_request', { seq: 1 });
    await t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
    expect(await ana.next('floor_reply')).toMatchObject({ type: 'revoked', reason: 'left', seq: 1 });
    expect(await bo.next('floor_reply', ({ type }) => type === 'granted')).toMatchObject({ seq: 1 });
  });

  test('ids in capitals are the same ids: what is removed by them is removed from the room too', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const shouted = { userId: team.ana.id.toUpperCase(), channelId: team.nord.toUpperCase() };
    expect((await t.post(deleteUserFromChannel.path, shouted, team.admin.token)).status).toBe(200);
    expect(await ana.next('room_closed')).toEqual({ channelId: team.nord, reason: 'removed' });
  });

  test('joining a room while being removed ends outside of it', async () => {
    for (let round = 0; round < 10; round += 1) {
      const ana = await t.connect(team.ana.token);
      const both = { userId: team.ana.id, channelId: team.nord };
      await Promise.all([
        ana.send('join_room', { room: 'Nord' }),
        t.call(deleteUserFromChannel, both, team.admin.token),
      ]);
      await caughtUp(ana);
      const { body } = await members(team.nord, team.admin.token);
      expect(body.res.map(({ firstName }) => firstName)).toEqual(['Bo']);
      await expect
        .poll(async () => (await t.call(getAllChannels, {}, team.admin.token)).body.res[0]?.connected)
        .toBe(0);
      await t.call(addUserToChannel, both, team.admin.token);
      ana.close();
    }
  });

  test('creating a channel is recorded, a refused creation is not', async () => {
    await t.call(createChannel, { channelName: 'Nord' }, team.admin.token);
    expect((await activityLog(t)).filter((line) => line.startsWith('channel_'))).toEqual([
      'channel_creation Admin Nord',
      'channel_creation Admin Sud',
    ]);
  });

  test('connectAdminToChannel puts an own live socket into the room, and nobody else’s', async () => {
    const { admin, ana, nord } = team;
    const own = await t.connect(admin.token);
    const others = await t.connect(ana.token);
    const anaId = ana.id;
    const refused = [
      await t.call(connectAdminToChannel, { channelId: nord, socketId: others.id as never }, admin.token),
      await t.call(connectAdminToChannel, { channelId: nord, socketId: 'none' as never }, admin.token),
      await t.call(connectAdminToChannel, { userId: anaId, channelId: nord, socketId: own.id as never }, admin.token),
      await t.call(connectAdminToChannel, { channelId: team.sud, socketId: others.id as never }, ana.token),
      await t.call(connectAdminToChannel, { channelId: nord, socketId: own.id as never }),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual([
      'not_found',
      'not_found',
      'forbidden',
      'not_a_member',
      'unauthenticated',
    ]);
    const taken = await t.call(
      connectAdminToChannel,
      { userId: admin.id, channelId: nord, socketId: own.id as never },
      admin.token,
    );
    expect(taken.status).toBe(200);
    expect(await own.next('usersInThisRoom')).toMatchObject([{ id: own.id, userId: admin.id }]);
    expect(await own.send('floor_request', { seq: 1 })).toMatchObject({ ok: true, data: { type: 'granted' } });
  });
});
