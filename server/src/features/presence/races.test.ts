import { deleteChannel, updateChannel } from '@pressel/contract/channels';
import { updateUserData } from '@pressel/contract/users';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { activities } from '#src/db/schema/activities.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { PROCESSES } from '#test/alone.ts';
import { buildTestApp, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, join, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import { waitUntil } from '#test/wait-until.ts';

const ROUNDS = 40;

describe('entering while the channel changes', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(async () => {
    await t.close();
    expect(t.logLines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  /** Acts at another moment each round, counted in statements: the two are to meet in every order. */
  const later = async (statements: number, act: () => Promise<unknown>) => {
    for (let count = 0; count < statements; count += 1) await t.database.ping();
    await act();
  };
  const rowsIn = (channelId: string) =>
    t.database.db.select().from(userSockets).where(eq(userSockets.channelId, channelId));

  test('[PRES9] the channel is deleted: not_found, or in and out again, and never a fault', async () => {
    const outcomes = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const channelId = await makeChannel(t, team.admin, `Short ${round}`, [team.ana.id]);
      const ana = await t.connect(team.ana.token);
      await caughtUp(ana);
      const [answer] = await Promise.all([
        ana.send('join_room', { room: `Short${round}` }),
        later(round % 14, () => t.call(deleteChannel, { channelId }, team.admin.token)),
      ]);
      outcomes.add(answer.ok ? 'in' : answer.code);
      if (answer.ok) expect(await ana.next('room_closed')).toEqual({ channelId, reason: 'deleted' });
      expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ ok: false, code: 'not_in_room' });
      expect(await rowsIn(channelId)).toEqual([]);
      ana.close();
    }
    expect([...outcomes].filter((one) => one !== 'in' && one !== 'not_found')).toEqual([]);
  });

  test('[PRES15] the channel is renamed: whoever is in the room goes by its new name', async () => {
    let name = 'Nord';
    for (let round = 0; round < ROUNDS; round += 1) {
      const ana = await t.connect(team.ana.token);
      await caughtUp(ana);
      const room = name;
      name = `Nord ${round}`;
      const body = { channelId: team.nord, channelName: name };
      const [answer] = await Promise.all([
        ana.send('join_room', { room }),
        later(round % 14, () => t.call(updateChannel, body, team.admin.token)),
      ]);
      if (!answer.ok) {
        expect(answer.code).toBe('not_found');
        await join(ana, name.replaceAll(' ', ''));
      }
      // Another process may have to hear of it first.
      await caughtUp(ana);
      await ana.send('leave_room', {});
      const log = (await activityLog(t)).filter((line) => line.startsWith('channel_leave'));
      expect([round, log.at(-1)]).toEqual([round, `channel_leave Ana ${name}`]);
      const shown = answer.ok ? [answer.data.channel, ...ana.waiting('room_changed')] : [{ name }];
      expect([round, shown.at(-1)?.name]).toEqual([round, name]);
      ana.close();
    }
  });
});

describe('new names', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const rename = (pseudo: string) =>
    t.call(updateUserData, { id: team.ana.id, firstName: 'Anne', lastName: 'Test', pseudo }, team.ana.token);

  test('[PRES15] [TALK30] of a user are on the floor, in the room and in what they do next', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    await ana.send('floor_request', { seq: 1 });
    expect((await rename('Nanou')).status).toBe(200);
    const now = { id: ana.id, userId: team.ana.id, name: 'Nanou', fullName: 'Anne Test' };
    expect(await bo.next('participant_changed')).toEqual({ ...now, role: 'member', channelId: team.nord });
    expect(await ana.next('participant_changed')).toEqual({ ...now, role: 'member', channelId: team.nord });
    await bo.next('floor_changed', ({ talkers }) => talkers[0]?.name === 'Nanou');
    expect(await bo.send('floor_request', { seq: 1, queue: false })).toMatchObject({ data: { talkerName: 'Nanou' } });
    const admin = await enterRoom(t, team.admin, 'Nord');
    expect(admin.state.participants).toContainEqual({ ...now, role: 'member' });
    expect(admin.state.floor.talkers).toMatchObject([{ name: 'Nanou' }]);
    await ana.send('leave_room', {});
    const names = async () =>
      (await t.database.db.select().from(activities).where(eq(activities.type, 'channel_leave'))).map(
        (row) => `${row.userFirstName} ${row.userDisplayName}`,
      );
    expect(await names()).toEqual(['Anne Nanou']);
  });

  test('[PRES15] [ROOM21] of a user who goes by a pseudo are told without it too, whether or not it changes', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    expect(ana.state.self).not.toHaveProperty('fullName');
    await rename('Nanou');
    expect(await ana.next('participant_changed')).toMatchObject({ name: 'Nanou', fullName: 'Anne Test' });
    const body = { id: team.ana.id, firstName: 'Anna', lastName: 'Test', pseudo: 'Nanou' };
    await t.call(updateUserData, body, team.ana.token);
    expect(await ana.next('participant_changed')).toMatchObject({ name: 'Nanou', fullName: 'Anna Test' });
    const bo = await enterRoom(t, team.bo, 'Nord');
    expect(bo.state.participants).toMatchObject([{ name: 'Nanou', fullName: 'Anna Test' }]);
  });

  test('[PRES15] of a channel are in the room and in the log of talks', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const { data } = (await ana.send('floor_request', { seq: 1 })) as { data: { channelId: string } };
    expect(data.channelId).toBe(team.nord);
    await ana.send('floor_release', { seq: 2 });
    await t.call(updateChannel, { channelId: team.nord, channelName: 'Grand Nord' }, team.admin.token);
    expect(await ana.next('room_changed')).toEqual({
      id: team.nord,
      name: 'Grand Nord',
      rtcSession: 'GrandNord',
      talkMode: 'single',
    });
    const bo = await enterRoom(t, team.bo, 'GrandNord');
    await bo.send('floor_request', { seq: 1 });
    await waitUntil(async () => (await activityLog(t)).includes('channel_talk Bo Grand Nord'));
    await ana.send('leave_room', {});
    expect(await activityLog(t)).toContain('channel_leave Ana Grand Nord');
  });

  test('[PRES15] the same names again, and changes of something else, are no news', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    await rename('Nanou');
    await ana.next('participant_changed');
    const body = { id: team.ana.id, firstName: 'Anne', lastName: 'Test', pseudo: 'Nanou', phone_number: '123' };
    await t.call(updateUserData, body, team.ana.token);
    await ana.next('changed', ({ what }) => what === 'users');
    await caughtUp(ana);
    expect(ana.waiting('participant_changed')).toEqual([]);
  });
});

describe('many leave at once', () => {
  test('[PRES14] a room of forty is emptied in one step of the floor and one of the table', async () => {
    const t = await buildTestApp();
    const team = await makeTeam(t);
    const people = await Promise.all(Array.from({ length: 20 }, (_, n) => t.signUp(`Many${n}`, team.admin.token)));
    const ids = people.map(({ id }) => id);
    const channelId = await makeChannel(t, team.admin, 'Tous', ids);
    const sockets = await Promise.all([...people, ...people].map((one) => enterRoom(t, one, 'Tous')));
    const [talker, waiting] = sockets;
    await talker?.send('floor_request', { seq: 1 });
    await waiting?.send('floor_request', { seq: 1 });
    await t.call(deleteChannel, { channelId }, team.admin.token);
    await Promise.all(sockets.map((one) => one.next('room_closed')));
    await caughtUp(...sockets);
    for (const socket of sockets) {
      expect(socket.waiting('user_exit')).toEqual([]);
      expect(socket.waiting('room_closed')).toEqual([]);
    }
    // Nobody who leaves too is granted the talker's floor.
    expect(waiting?.waiting('floor_reply').map(({ type }) => type)).toEqual(['revoked']);
    const left = (await activityLog(t)).filter((line) => line.startsWith('channel_leave'));
    expect(left).toHaveLength(40);
    // Each process wrote all of its own entries in one transaction.
    const written = await t.database.db.execute(
      sql`select distinct xmin::text from activities where type = 'channel_leave'`,
    );
    expect(written.rows.length).toBeLessThanOrEqual(PROCESSES);
    await t.close();
  });
});

describe('a database that has much to do', () => {
  test('[TALK1] the floor of a room never waits for it, whatever else of the channel does', async () => {
    const t = await buildTestApp();
    const team = await makeTeam(t);
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await enterRoom(t, team.bo, 'Nord');
    await caughtUp(ana, bo);
    const answered: string[] = [];
    let stuck: Promise<unknown>[] = [];
    await t.database.db.transaction(async (tx) => {
      await tx.execute(sql`lock table user_sockets in access exclusive mode`);
      const leaving = bo.send('leave_room', {}).then(() => answered.push('leave'));
      const isWaiting = sql`(select 1 from pg_stat_activity where wait_event_type = 'Lock'
        and datname = current_database()) as waiting`;
      await waitUntil(async () => (await t.database.db.$count(isWaiting)) > 0);
      const message = ana.send('message', { message: 'Later' }).then(() => answered.push('message'));
      stuck = [leaving, message];
      expect(await ana.send('floor_request', { seq: 1 })).toMatchObject({ ok: true, data: { type: 'granted' } });
      expect(await ana.send('floor_renew', { seq: 1 })).toMatchObject({ ok: true });
      expect(await ana.send('beat', { version: 0 })).toMatchObject({ ok: true });
      expect(await ana.send('floor_release', { seq: 2 })).toMatchObject({ ok: true });
      // A message by another process goes on: it waits only for leaves of its own process.
      expect(answered.filter((one) => one === 'leave' || PROCESSES === 1)).toEqual([]);
    });
    await Promise.all(stuck);
    expect(answered.toSorted()).toEqual(['leave', 'message']);
    await t.close();
  });
});
