import { deleteUserFromChannel, getAllChannels, getUsersInChannel } from '@pressel/contract/channels';
import type { UserId } from '@pressel/contract/ids';
import type { StatusNews, UserPresence } from '@pressel/contract/presence';
import { getAllUsers } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Addressees, audience } from '#src/sockets/sockets.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, join, makeChannel, makeTeam, type Team } from '#test/factories.ts';
import type { TestSocket } from '#test/socket-client.ts';
import { waitUntil } from '#test/wait-until.ts';
import { createStatusNews } from './status-news.ts';

describe('who is connected where', () => {
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

  const listed = async (by: Person = team.bo) =>
    (await t.call(getUsersInChannel, { channelId: team.nord }, by.token)).body.res.find(({ id }) => id === team.ana.id);
  const connectedIn = async (channelId: string) =>
    (await t.call(getAllChannels, {}, team.admin.token)).body.res.find(({ id }) => id === channelId)?.connected;
  const of = ({ users }: StatusNews, userId: UserId) => users.find((one) => one.userId === userId);
  /** Waits for the next news of somebody's presence that fit. */
  const heard = (socket: TestSocket, { id }: Person, fits: (one: UserPresence) => boolean = () => true) =>
    socket.next('onUserStatusChanged', (news) => news.users.some((one) => one.userId === id && fits(one)));
  /** The state of a screen that patched its lists with all news so far. */
  const shown = (socket: TestSocket) => {
    const news = socket.waiting('onUserStatusChanged');
    return {
      of: [...new Set(news.map(({ channelId }) => channelId))],
      connected: news.findLast(({ connected }) => connected !== undefined)?.connected,
      rowOf: ({ id }: Person) => news.flatMap(({ users }) => users).findLast(({ userId }) => userId === id),
      connectedIn: (id: string) =>
        news.flatMap(({ rooms }) => rooms).findLast((one) => one.channelId === id)?.connected,
    };
  };
  const isIn = (channelId: string) => (one: UserPresence) => one.user_sockets.some((s) => s.channelId === channelId);

  test('user_sockets of the lists are every live socket with its room', async () => {
    const idle = await t.connect(team.ana.token);
    const inRoom = await enterRoom(t, team.ana, 'Nord');
    const expected = [
      { userId: team.ana.id, channelId: null, socket_id: idle.id },
      { userId: team.ana.id, channelId: team.nord, socket_id: inRoom.id },
    ];
    const tabs = (await listed())?.user_sockets;
    expect(tabs).toHaveLength(2);
    expect(tabs).toEqual(expect.arrayContaining(expected));
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

  test('a socket is told when it begins to hear news', async () => {
    const ana = await t.connect(team.ana.token);
    await ana.next('ready');
    expect(await listed()).toMatchObject({ user_sockets: [{ socket_id: ana.id }] });
  });

  test('[PRES20] who comes and goes is told to administrators and to those who share a channel', async () => {
    const [admin, bo, out] = [
      await t.connect(team.admin.token),
      await t.connect(team.bo.token),
      await t.connect(team.out.token),
    ];
    await caughtUp(admin, bo, out);
    const [first, second] = await Promise.all([t.connect(team.ana.token), t.connect(team.ana.token)]);
    for (const seer of [admin, bo]) {
      expect((await seer.next('userConnected', ({ userIds }) => userIds.includes(team.ana.id))).userIds).toContain(
        team.ana.id,
      );
      await heard(seer, team.ana, ({ connected }) => connected);
    }
    first.close();
    second.close();
    for (const seer of [admin, bo]) {
      expect(of(await heard(seer, team.ana, ({ connected }) => !connected), team.ana.id)?.user_sockets).toEqual([]);
      expect(seer.waiting('userConnected').filter(({ userIds }) => userIds.includes(team.ana.id))).toEqual([]);
    }
    await caughtUp(out);
    expect(JSON.stringify([out.waiting('userConnected'), out.waiting('onUserStatusChanged')])).not.toContain(
      team.ana.id,
    );
  });

  test('[PRES21] what is told is what the lists say, so that they need not be read again', async () => {
    const admin = await t.connect(team.admin.token);
    const bo = await t.connect(team.bo.token);
    await caughtUp(admin, bo);
    const ana = await enterRoom(t, team.ana, 'Nord');
    // The news that she came may be told by themselves, and leave out what another process told before (PROC65).
    await waitUntil(() => [admin, bo].every((seer) => shown(seer).connectedIn(team.nord) === 1));
    expect(shown(bo)).toMatchObject({ of: [team.nord], connected: undefined });
    expect(shown(bo).rowOf(team.ana)).toEqual({
      userId: team.ana.id,
      connected: true,
      user_sockets: (await listed())?.user_sockets,
    });
    const { res, connected } = (await t.call(getAllUsers, {}, team.admin.token)).body;
    const row = res.find(({ id }) => id === team.ana.id);
    expect(shown(admin)).toMatchObject({ of: [null], connected });
    expect(shown(admin).rowOf(team.ana)).toEqual({
      userId: team.ana.id,
      connected: true,
      user_sockets: row?.user_sockets,
      userActivities: row?.userActivities,
    });
    await ana.send('leave_room', {});
    await waitUntil(() => shown(bo).connectedIn(team.nord) === 0);
    expect(shown(bo).rowOf(team.ana)).toMatchObject({ connected: true, user_sockets: [{ channelId: null }] });
  });

  test('[PRES22] members learn of rooms of their own channels only', async () => {
    const seer = await t.connect(team.bo.token);
    await caughtUp(seer);
    const ana = await enterRoom(t, team.ana, 'Nord');
    await heard(seer, team.ana, isIn(team.nord));
    const id = await makeChannel(t, team.admin, 'Secret', [team.ana.id]);
    await join(ana, 'Secret');
    // The news that she came may be told by themselves, and show her in no room either.
    const left = await seer.next('onUserStatusChanged', ({ rooms }) => rooms.some(({ connected }) => connected === 0));
    expect(left).toMatchObject({ channelId: team.nord, rooms: [{ channelId: team.nord, connected: 0 }] });
    expect(of(left, team.ana.id)?.user_sockets).toMatchObject([{ channelId: null }]);
    expect(await listed()).toMatchObject({ user_sockets: [{ channelId: null }] });
    expect(JSON.stringify([left, seer.waiting('onUserStatusChanged')])).not.toContain(id);
    expect(left.users[0]).not.toHaveProperty('userActivities');
    expect(left).not.toHaveProperty('connected');
  });

  test('[PRES23] a burst is told together, once to administrators and once to each channel', async () => {
    const { news, told } = deskOf(t);
    const ids = [team.admin, team.ana, team.bo].map(({ id }) => id);
    for (const userId of ids) {
      news.came({ userId, role: 'member' }, true);
      news.moved({ userId, role: 'member' }, [team.nord]);
    }
    await waitUntil(() => told.length > 0);
    await news.close();
    expect(told.map(([name, { users }]) => [name, users.map(({ userId }) => userId)])).toEqual([
      [audience.admins, ids],
      [audience.membersOf(team.nord), ids],
    ]);
  });

  test('[PROC65] what one process read before another one is told after it, changes no list', async () => {
    const [one, other] = [deskOf(t), deskOf(t)];
    const count = ({ told }: typeof one) =>
      told.filter(([name]) => name === audience.admins).map(([, { rooms, connected }]) => [rooms, connected]);
    const ana = { userId: team.ana.id, role: 'member' } as const;
    one.news.moved(ana, [team.nord]);
    await waitUntil(() => one.told.length > 0);
    const inNord = await enterRoom(t, team.ana, 'Nord');
    other.news.moved(ana, [team.nord]);
    await waitUntil(() => other.told.length > 0);
    const [early, late] = [one.said.shift(), other.said.shift()];
    for (const { heard } of [one, other]) for (const said of [late, early, late]) heard(said);
    const counted = (connected: number) => [[{ channelId: team.nord, connected }], connected];
    expect(count(one)).toEqual([counted(0), counted(1), counted(1)]);
    expect(count(other)).toEqual([counted(1), counted(1), counted(1)]);
    await Promise.all([one.news.close(), other.news.close()]);
    inNord.close();
  });

  test('[PRES21] a user who is in many rooms is told of once for each', async () => {
    const admin = await t.connect(team.admin.token);
    await caughtUp(admin);
    for (let tab = 0; tab < 3; tab += 1) await enterRoom(t, team.ana, 'Nord');
    await t.connect(team.ana.token);
    await t.connect(team.ana.token);
    const told = of(await heard(admin, team.ana, ({ user_sockets }) => user_sockets.length === 2), team.ana.id);
    expect(told?.user_sockets.map(({ channelId }) => channelId).toSorted()).toEqual([null, team.nord].toSorted());
  });

  test('[PRES20] who is taken out of a channel hears no more of it, those who stay do', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bo = await t.connect(team.bo.token);
    await caughtUp(bo);
    await t.call(deleteUserFromChannel, { userId: team.ana.id, channelId: team.nord }, team.admin.token);
    await ana.next('room_closed');
    // A reading from before she entered may come first.
    const left = await bo.next('onUserStatusChanged', ({ rooms }) => rooms.some(({ connected }) => connected === 0));
    expect(left.rooms).toEqual([{ channelId: team.nord, connected: 0 }]);
    expect(of(left, team.ana.id)?.user_sockets).toMatchObject([{ channelId: null }]);
    ana.waiting('onUserStatusChanged').splice(0);
    await join(bo, 'Nord');
    await heard(bo, team.bo, isIn(team.nord));
    await caughtUp(ana);
    expect(ana.waiting('onUserStatusChanged')).toEqual([]);
  });
});

/** The publisher of a process that has no other part, with what it told its sockets and what it said to others. */
function deskOf({ database, app }: TestApp) {
  const told: [audience: string, news: StatusNews][] = [];
  const said: unknown[] = [];
  let heard: (message: never) => void = () => undefined;
  const to = (name: string | readonly string[]): Addressees => ({
    emit: (event, news) => void (event === 'onUserStatusChanged' && told.push([String(name), news as StatusNews])),
    except: () => to(name),
  });
  const news = createStatusNews({
    ...{ db: database.db, log: app.log, newsClock: { noteNews: () => undefined }, guestsMoved: () => undefined },
    told: () => undefined,
    relay: {
      send: (_topic, message) => void said.push(message),
      on(_topic, _schema, hear) {
        heard = (message) => hear(message, null);
      },
    },
    ...{ sockets: { local: { to } }, steadyNow: () => performance.now() },
  });
  return { news, told, said, heard: (message: unknown) => heard(message as never) };
}
