import { setImmediate } from 'node:timers/promises';
import {
  addUserToChannel,
  connectAdminToChannel,
  deleteUserFromChannel,
  getAllChannels,
} from '@pressel/contract/channels';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { servers, userSockets } from '#src/db/schema/presence.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, join, makeTeam, type Team } from '#test/factories.ts';
import { wireOf } from '#test/socket-client.ts';
import { waitUntil } from '#test/wait-until.ts';
import { leaveTypeOf } from './presence.store.ts';

describe('presence', () => {
  let t: TestApp;
  let team: Team;
  let time: Date;
  beforeEach(async () => {
    time = new Date('2026-03-01T08:00:00Z');
    t = await buildTestApp({ now: () => time, presenceRepairMs: 50 });
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
    test('[PRES8] join_room tells the newcomer who was there, and those who were there of the newcomer', async () => {
      const ana = await enterRoom(t, team.ana, 'Nord');
      expect(await ana.next('all_users')).toEqual([]);
      time = new Date(time.getTime() + 1);
      const bo = await enterRoom(t, team.bo, 'Nord');
      const inNord = (one: object) => ({ ...one, channelId: team.nord });
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
      expect(await bo.next('all_users')).toEqual([inNord(anaSeen)]);
      expect(await ana.next('user joined')).toEqual(inNord(boSeen));
      expect(await bo.next('usersInThisRoom')).toEqual([anaSeen, boSeen].map(inNord));
      await caughtUp(ana, bo);
      expect(bo.waiting('user joined')).toEqual([]);
      // Only a newcomer gets the whole list; otherwise traffic would grow with the cube of the room.
      expect(await ana.next('usersInThisRoom')).toEqual([inNord(anaSeen)]);
      expect(ana.waiting('usersInThisRoom')).toEqual([]);
    });

    test('[TALK158] the channel and whether one is its member are read together, before the turn and in it', async () => {
      const ana = await t.connect(team.ana.token);
      await caughtUp(ana);
      const query = vi.spyOn(pg.Client.prototype, 'query');
      onTestFinished(() => query.mockRestore());
      await join(ana, 'Nord');
      const texts = query.mock.calls.map(([asked]) => (asked as { text?: string }).text ?? String(asked));
      expect(
        texts.filter((text) => /from "channels"|join "channels"|"channel_members"."channel_id" = \$/u.test(text)),
      ).toEqual([
        expect.stringContaining('"channels"."rtc_session" ='),
        expect.stringContaining('"channels"."id" = asked.id'),
      ]);
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
      expect(await ana.next('user joined')).toEqual({
        ...{ id: bo.id, userId: team.bo.id, name: 'Bo Test', role: 'member', channelId: team.nord },
      });
    });

    test('[PRES5] of two simultaneous newcomers exactly one finds the other there already', async () => {
      for (let round = 0; round < 30; round += 1) {
        const both = await Promise.all([t.connect(team.ana.token), t.connect(team.bo.token)]);
        const states = await Promise.all(both.map((one) => join(one, 'Nord')));
        expect(states.map((state) => state.participants.length).toSorted()).toEqual([0, 1]);
        await Promise.all(both.map((one) => one.send('leave_room', {})));
        for (const one of both) one.close();
      }
    });

    test('[PRES5] two entrances at once leave a socket in one room alone', async () => {
      await t.call(addUserToChannel, { userId: team.ana.id, channelId: team.sud }, team.admin.token);
      const ana = await t.connect(team.ana.token);
      const inNord = await enterRoom(t, team.bo, 'Nord');
      const inSud = await enterRoom(t, team.out, 'Sud');
      const [, second] = await Promise.all([
        ana.send('join_room', { room: 'Nord' }),
        ana.send('join_room', { room: 'Sud' }),
      ]);
      expect(second.ok).toBe(true);
      await inSud.next('user joined', ({ id }) => id === ana.id);
      await inNord.send('floor_request', { seq: 1 });
      await caughtUp(ana, inNord);
      expect(ana.waiting('floor_changed').filter(({ channelId }) => channelId === team.nord)).toEqual([]);
      const came = inNord.waiting('user joined').filter(({ id }) => id === ana.id);
      expect(inNord.waiting('user_exit')).toHaveLength(came.length);
      expect(await connectedIn(team.nord)).toBe(1);
    });

    test('who goes away in the middle of entering leaves no ghost', async () => {
      const bo = await enterRoom(t, team.bo, 'Nord');
      for (let round = 0; round < 40; round += 1) {
        const ana = await t.connect(team.ana.token);
        if (round % 2 === 0) await join(ana, 'Nord');
        ana.raw.emit('join_room', { room: 'Nord' }, () => undefined);
        // The moment differs each round, so that the two meet in every order.
        for (let turn = 0; turn < round; turn += 1) await setImmediate();
        ana.raw.io.engine.close();
      }
      await waitUntil(async () => (await socketRows()).length === 1);
      await caughtUp(bo);
      expect((await join(bo, 'Nord')).participants).toEqual([]);
      // Each participant came and went; of several that go at once, any may be told first.
      const exits = bo.waiting('user_exit').map(({ id }) => id);
      expect(
        bo
          .waiting('user joined')
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(exits.toSorted());
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
      expect(await ana.next('user_exit')).toEqual({ id: bo.id, channelId: team.nord });
      expect(await bo.send('leave_room', {})).toEqual({ ok: true, data: {} });
      admin.close();
      expect(await ana.next('user_exit')).toEqual({ id: admin.id, channelId: team.nord });
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
      await t.stop();
      expect(['transport close', 'transport error']).toContain(await ana.disconnected);
      const again = await buildTestApp({ now: () => time, database: t.database });
      expect(await socketRows()).toEqual([]);
      const bo = await enterRoom(again, team.bo, 'Nord');
      expect(bo.state.participants).toEqual([]);
      await again.close();
      expect(await socketRows()).toEqual([]);
      expect(await t.database.db.select().from(servers)).toEqual([]);
      const log = await activityLog(t);
      for (const name of ['Ana', 'Bo']) expect(log).toContain(`channel_leave ${name} Nord`);
    });
  });

  describe('the activity log', () => {
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

    test('[PRES49] who closes a link leaves, also if something is written to it before it is gone', async () => {
      const bo = await enterRoom(t, team.bo, 'Nord');
      const ana = await t.connect(team.ana.token);
      // Bo's side says that it closes, and reads nothing more: the connection stays half open.
      const wire = wireOf(bo);
      wire.pause();
      wire.close();
      const ends = async () => (await activityLog(t)).filter((line) => /^(?!channel_join).* Bo Nord$/u.test(line));
      await waitUntil(async () => {
        // Bo is told of each.
        await join(ana, 'Nord');
        await ana.send('leave_room', {});
        return (await ends()).length > 0;
      });
      expect(await ends()).toEqual(['channel_leave Bo Nord']);
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
});
