import { setImmediate } from 'node:timers/promises';
import { logOut } from '@pressel/contract/auth';
import {
  addUserToChannel,
  connectAdminToChannel,
  deleteUserFromChannel,
  getAllChannels,
  getUsersInChannel,
} from '@pressel/contract/channels';
import { PRESENCE_TTL_MS, SESSION_MS } from '@pressel/contract/limits';
import { getAllUsers } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { userSockets } from '#src/db/schema/presence.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, join, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { connectSocket } from '#test/socket-client.ts';
import { waitUntil } from '#test/wait-until.ts';
import { leaveTypeOf } from './presence.service.ts';

describe('presence', () => {
  let t: TestApp;
  let team: Team;
  let time: Date;
  beforeEach(async () => {
    time = new Date('2026-03-01T08:00:00Z');
    t = await buildTestApp({ now: () => time, heartbeatMs: 50 });
    team = await makeTeam(t);
  });
  afterEach(async () => {
    await t.close();
    expect(t.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  const socketRows = () => t.database.db.select().from(userSockets);
  const connectedIn = async (channelId: string) =>
    (await t.call(getAllChannels, {}, team.admin.token)).body.res.find(({ id }) => id === channelId)?.connected;

  describe('entering', () => {
    test('join_room tells the newcomer who was there, and those who were there of the newcomer', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      expect(await ana.next('all_users')).toEqual([]);
      time = new Date(time.getTime() + 1);
      const bo = await enterRoom(t, team.bo, 'Nord');
      const [anaSeen, boSeen] = [
        { id: ana.id, userId: team.ana.id, name: 'Ana Test', role: 'member' },
        { id: bo.id, userId: team.bo.id, name: 'Bo Test', role: 'member' },
      ];
      expect(bo.state).toMatchObject({
        channel: { id: team.nord, name: 'Nord', rtcSession: 'Nord', talkMode: 'single' },
        self: boSeen,
        participants: [anaSeen],
        floor: { channelId: team.nord, talkers: [], queue: [] },
      });
      expect(await bo.next('all_users')).toEqual([anaSeen]);
      expect(await ana.next('user joined')).toEqual(boSeen);
      expect(await bo.next('usersInThisRoom')).toEqual([anaSeen, boSeen]);
      expect(await ana.next('usersInThisRoom', (users) => users.length === 2)).toEqual([anaSeen, boSeen]);
      await caughtUp(bo);
      expect(bo.waiting('user joined')).toEqual([]);
    });

    test('members and administrators get in, others do not, and hear nothing of the room', async () => {
      const out = await t.connect(team.out.token);
      expect(await out.send('join_room', { room: 'Nord' })).toMatchObject({ ok: false, code: 'not_a_member' });
      expect(await out.send('join_room', { room: 'Ouest' })).toMatchObject({ ok: false, code: 'not_found' });
      const admin = await enterRoom(t, team.admin, 'Nord');
      await enterRoom(t, team.ana, 'Nord');
      await admin.next('user joined');
      await caughtUp(out);
      for (const event of ['all_users', 'usersInThisRoom', 'user joined', 'onUserStatusChanged'] as const) {
        expect(out.waiting(event).filter((news) => JSON.stringify(news).includes(team.ana.id))).toEqual([]);
      }
    });

    test('a refused entrance leaves the socket in the room where it was', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      expect(await ana.send('join_room', { room: 'Sud' })).toMatchObject({ ok: false, code: 'not_a_member' });
      expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ ok: true });
    });

    test('the room key is found however its name is typed', async () => {
      const ana = await t.connect(team.ana.token);
      expect((await join(ana, ' No rd\u200e')).channel.id).toBe(team.nord);
    });

    test('the name comes from the account, whatever the payload says', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await t.connect(team.bo.token);
      const lie = { room: 'Nord', name: 'Admin Test', userId: team.admin.id, id: ana.id };
      expect(await bo.send('join_room', lie)).toMatchObject({ ok: true, data: { self: { name: 'Bo Test' } } });
      expect(await ana.next('user joined')).toEqual({ id: bo.id, userId: team.bo.id, name: 'Bo Test', role: 'member' });
    });

    test('of two simultaneous newcomers exactly one finds the other there already', async () => {
      const ana = await t.connect(team.ana.token);
      const bo = await t.connect(team.bo.token);
      for (let round = 0; round < 30; round += 1) {
        const states = await Promise.all([join(ana, 'Nord'), join(bo, 'Nord')]);
        expect(states.map((state) => state.participants.length).toSorted()).toEqual([0, 1]);
        await Promise.all([ana.send('leave_room', {}), bo.send('leave_room', {})]);
      }
    });

    test('two entrances at once leave a socket in one room alone', async () => {
      await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
      const ana = await t.connect(team.ana.token);
      const inNord = await enterRoom(t, team.bo, 'Nord');
      const inSud = await enterRoom(t, team.out, 'Sud');
      const [first, second] = await Promise.all([
        ana.send('join_room', { room: 'Nord' }),
        ana.send('join_room', { room: 'Sud' }),
      ]);
      expect([first.ok, second.ok]).toEqual([true, true]);
      await inNord.next('user_exit', ({ id }) => id === ana.id);
      await inSud.next('user joined', ({ id }) => id === ana.id);
      await inNord.send('floor_request', { seq: 1 });
      await caughtUp(ana);
      expect(ana.waiting('floor_changed').filter(({ channelId }) => channelId === team.nord)).toEqual([]);
      expect(await connectedIn(team.nord)).toBe(1);
    });

    test('who goes away in the middle of entering leaves no ghost', async () => {
      const bo = await enterRoom(t, team.bo, 'Nord');
      for (let round = 0; round < 40; round += 1) {
        const ana = await t.connect(team.ana.token);
        if (round % 2 === 0) await join(ana, 'Nord');
        ana.raw.emit('join_room', { room: 'Nord' }, () => undefined);
        // Another moment each round: the two are to meet in every order.
        for (let turn = 0; turn < round; turn += 1) await setImmediate();
        ana.raw.io.engine.close();
      }
      await waitUntil(async () => (await socketRows()).length === 1);
      await caughtUp(bo);
      expect((await join(bo, 'Nord')).participants).toEqual([]);
      const exits = bo.waiting('user_exit').map(({ id }) => id);
      expect(bo.waiting('user joined').map(({ id }) => id)).toEqual(exits);
    });

    test('entering the same room again is a fresh start: the others see an exit and an entrance', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await enterRoom(t, team.bo, 'Nord');
      expect((await join(bo, 'Nord')).participants.map(({ id }) => id)).toEqual([ana.id]);
      await ana.next('user joined');
      await ana.next('user_exit', ({ id }) => id === bo.id);
      await ana.next('user joined', ({ id }) => id === bo.id);
    });

    test('connectAdminToChannel is the same entrance', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const admin = await t.connect(team.admin.token);
      const socketId = admin.id as never;
      await t.call(connectAdminToChannel, { channelId: team.nord, socketId }, team.admin.token);
      expect(await admin.next('all_users')).toMatchObject([{ id: ana.id }]);
      expect(await ana.next('user joined')).toMatchObject({ id: admin.id, userId: team.admin.id });
    });
  });

  describe('leaving', () => {
    test('leave_room and disconnect tell the others, once each, and no more signals of the room come', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const bo = await enterRoom(t, team.bo, 'Nord');
      const admin = await enterRoom(t, team.admin, 'Nord');
      await bo.send('leave_room', {});
      expect(await ana.next('user_exit')).toEqual({ id: bo.id });
      expect(await bo.send('leave_room', {})).toEqual({ ok: true, data: {} });
      admin.close();
      expect(await ana.next('user_exit')).toEqual({ id: admin.id });
      expect(await ana.next('usersInThisRoom', (users) => users.length === 1)).toMatchObject([{ id: ana.id }]);
      await caughtUp(ana, bo);
      expect(ana.waiting('user_exit')).toEqual([]);
      expect(bo.waiting('user_exit')).toEqual([]);
    });

    test('a disconnect leaves no row behind', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      ana.close();
      await waitUntil(async () => (await socketRows()).length === 0);
      expect(await connectedIn(team.nord)).toBe(0);
    });

    test('a server that is closed and opened again on its database has no ghosts', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      await t.app.close();
      expect(['transport close', 'transport error']).toContain(await ana.disconnected);
      const again = await buildTestApp({ now: () => time, database: t.database });
      expect(await socketRows()).toEqual([]);
      const bo = await enterRoom(again, team.bo, 'Nord');
      expect(bo.state.participants).toEqual([]);
      await again.close();
      expect(await socketRows()).toEqual([]);
    });

    test('a server that was killed leaves ghosts, and its successor sweeps them away at the start', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      const successor = await buildTestApp({ now: () => time, database: t.database });
      expect((await socketRows()).map(({ socketId }) => socketId)).not.toContain(ana.id);
      await successor.close();
    });
  });

  describe('who is connected where', () => {
    const tabsOf = async () =>
      (await t.call(getUsersInChannel, { channelId: team.nord }, team.bo.token)).body.res.find(
        ({ id }) => id === team.ana.id,
      )?.user_sockets;

    test('user_sockets lists every live socket with its room', async () => {
      const idle = await t.connect(team.ana.token);
      const inRoom = await enterRoom(t, team.ana, 'Nord');
      await caughtUp(idle);
      const expected = [
        { userId: team.ana.id, channelId: null, socket_id: idle.id },
        { userId: team.ana.id, channelId: team.nord, socket_id: inRoom.id },
      ];
      await waitUntil(async () => (await tabsOf())?.length === 2);
      expect(await tabsOf()).toEqual(expect.arrayContaining(expected));
      const { body } = await t.call(getAllUsers, {}, team.admin.token);
      expect(body.res.find(({ id }) => id === team.ana.id)?.user_sockets).toEqual(expect.arrayContaining(expected));
      expect(body.res.find(({ id }) => id === team.bo.id)?.user_sockets).toEqual([]);
    });

    test('connected counts people, not tabs, and visiting administrators too', async () => {
      await enterRoom(t, team.ana, 'Nord');
      await enterRoom(t, team.ana, 'Nord');
      expect(await connectedIn(team.nord)).toBe(1);
      await enterRoom(t, team.admin, 'Nord');
      expect(await connectedIn(team.nord)).toBe(2);
      expect(await connectedIn(team.sud)).toBe(0);
    });

    test('the first socket is announced to administrators and to those who share a channel, once', async () => {
      const admin = await t.connect(team.admin.token);
      const bo = await t.connect(team.bo.token);
      const out = await t.connect(team.out.token);
      await caughtUp(admin, bo, out);
      const [first] = await Promise.all([t.connect(team.ana.token), t.connect(team.ana.token)]);
      const isAna = ({ userId }: { userId: string }) => userId === team.ana.id;
      await admin.next('userConnected', isAna);
      await bo.next('userConnected', isAna);
      for (const seer of [admin, bo]) {
        await seer.next('onUserStatusChanged', isAna);
        await seer.next('onUserStatusChanged', isAna);
        expect(seer.waiting('userConnected').filter(isAna)).toEqual([]);
      }
      await caughtUp(out);
      expect(out.waiting('userConnected').filter(isAna)).toEqual([]);
      expect(out.waiting('onUserStatusChanged').filter(isAna)).toEqual([]);
      first.close();
      expect(await bo.next('onUserStatusChanged', isAna)).toMatchObject({ connected: true });
    });

    test('each change of room is announced to administrators, the user’s other tabs and fellow members', async () => {
      const admin = await t.connect(team.admin.token);
      const bo = await t.connect(team.bo.token);
      const out = await t.connect(team.out.token);
      const otherTab = await t.connect(team.ana.token);
      await caughtUp(admin, bo, out, otherTab);
      const ana = await enterRoom(t, team.ana, 'Nord');
      const base = { userId: team.ana.id, connected: true };
      const entered = { ...base, channelId: team.nord, previousChannelId: null };
      const left = { ...base, channelId: null, previousChannelId: team.nord };
      for (const seer of [admin, bo, otherTab]) {
        expect(await seer.next('onUserStatusChanged', ({ channelId }) => channelId !== null)).toEqual(entered);
      }
      await ana.send('leave_room', {});
      for (const seer of [admin, bo, otherTab]) {
        expect(await seer.next('onUserStatusChanged', (s) => s.previousChannelId !== null)).toEqual(left);
      }
      await join(ana, 'Nord');
      ana.close();
      otherTab.close();
      expect(await bo.next('onUserStatusChanged', ({ connected }) => !connected)).toMatchObject({
        userId: team.ana.id,
      });
      await caughtUp(out);
      expect(out.waiting('onUserStatusChanged').filter(({ userId }) => userId === team.ana.id)).toEqual([]);
    });

    test('joins and leaves, those of a closed tab too, are in the activity log', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      await ana.send('leave_room', {});
      const bo = await enterRoom(t, team.bo, 'Nord');
      bo.raw.io.engine.close();
      const admin = await enterRoom(t, team.admin, 'Nord');
      admin.raw.disconnect();
      await waitUntil(async () => (await activityLog(t)).filter((line) => line.endsWith('Nord')).length >= 7);
      const lines = (await activityLog(t)).filter((line) => line.endsWith(' Nord'));
      expect(lines.toSorted()).toEqual(
        [
          'channel_creation Admin Nord',
          'channel_join Admin Nord',
          'channel_join Ana Nord',
          'channel_join Bo Nord',
          'channel_leave Admin Nord',
          'channel_leave Ana Nord',
          'channel_leave Bo Nord',
        ].toSorted(),
      );
    });

    test.each([
      ['ping timeout', 'connexion_lost'],
      ['transport error', 'connexion_lost'],
      ['transport close', 'channel_leave'],
      ['client namespace disconnect', 'channel_leave'],
      ['server namespace disconnect', 'channel_leave'],
    ])('a socket that ends by %s is logged as %s', (reason, type) => {
      expect(leaveTypeOf(reason)).toBe(type);
    });

    test('members learn of rooms of their own channels only', async () => {
      const seer = await t.connect(team.bo.token);
      await caughtUp(seer);
      const ana = await enterRoom(t, team.ana, 'Nord');
      const isAna = ({ userId }: { userId: string }) => userId === team.ana.id;
      expect(await seer.next('onUserStatusChanged', (s) => isAna(s) && s.channelId !== null)).toMatchObject({
        channelId: team.nord,
      });
      const id = await makeChannel(t, team.admin, 'Secret', [team.ana.id]);
      expect(await ana.send('join_room', { room: 'Secret' })).toMatchObject({ ok: true });
      expect(await seer.next('onUserStatusChanged', (s) => isAna(s) && s.previousChannelId !== null)).toMatchObject({
        channelId: null,
        previousChannelId: team.nord,
      });
      const { body } = await t.call(getUsersInChannel, { channelId: team.nord }, team.bo.token);
      expect(body.res.find((one) => one.id === team.ana.id)?.user_sockets).toMatchObject([{ channelId: null }]);
      expect(JSON.stringify(seer.waiting('onUserStatusChanged'))).not.toContain(id);
    });

    test('being removed from the channel is a leave', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      await t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
      await ana.next('room_closed');
      expect(await activityLog(t)).toContain('channel_leave Ana Nord');
    });

    test('talks are in the activity log', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      await ana.send('floor_request', { seq: 1 });
      await waitUntil(async () => (await activityLog(t)).includes('channel_talk Ana Nord'));
    });
  });

  describe('sessions that end', () => {
    test('a socket whose session expired is ended by the heartbeat', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      time = new Date(time.getTime() + SESSION_MS);
      expect(await ana.disconnected).toBe('io server disconnect');
      await waitUntil(async () => (await socketRows()).length === 0);
    });

    test('a logout that races with the handshake ends the socket as well', async () => {
      for (let round = 0; round < 10; round += 1) {
        const token = await t.signIn(team.ana);
        const connecting = connectSocket(t.origin, token).then(
          (socket) => socket.disconnected,
          () => 'refused',
        );
        await t.call(logOut, {}, token);
        expect(['refused', 'io server disconnect']).toContain(await connecting);
      }
    });

    test('the heartbeat keeps those who are alive', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      time = new Date(time.getTime() + 10 * PRESENCE_TTL_MS);
      await waitUntil(async () => (await socketRows())[0]?.seenAt.getTime() === time.getTime());
      expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ ok: true });
    });

    test('sockets that no process vouches for age out, and their people are told of', async () => {
      const admin = await t.connect(team.admin.token);
      await caughtUp(admin);
      await t.database.db.insert(userSockets).values({
        socketId: 'ghost',
        userId: team.ana.id,
        sessionId: uuidV7(),
        serverId: uuidV7(),
        channelId: team.nord,
        joinedAt: time,
        seenAt: time,
      });
      const bo = await enterRoom(t, team.bo, 'Nord');
      time = new Date(time.getTime() + PRESENCE_TTL_MS - 1);
      await waitUntil(async () => (await socketRows()).some(({ seenAt }) => seenAt.getTime() === time.getTime()));
      expect((await socketRows()).map(({ socketId }) => socketId)).toContain('ghost');
      time = new Date(time.getTime() + 2);
      expect(await admin.next('onUserStatusChanged', ({ connected }) => !connected)).toEqual({
        userId: team.ana.id,
        channelId: null,
        previousChannelId: team.nord,
        connected: false,
      });
      expect(await bo.next('user_exit')).toEqual({ id: 'ghost' });
      expect((await socketRows()).map(({ socketId }) => socketId)).not.toContain('ghost');
    });
  });
});
