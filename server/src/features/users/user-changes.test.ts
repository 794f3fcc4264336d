import { isValidToken } from '@pressel/contract/auth';
import { getAllChannels, getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { BULK_MAX } from '@pressel/contract/limits';
import { changeUsers, getAllUsers, getUserById, type UserChange, updateUserData } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { users } from '#src/db/schema/users.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { activityLog, caughtUp, enterRoom, makeTeam, type Team } from '#test/factories.ts';

const unknown = uuidV7() as UserId;

describe('changing many users', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const change = (userIds: readonly UserId[], what: UserChange, by: Person = team.admin) =>
    t.call(changeUsers, { userIds: [...userIds], change: what }, by.token);
  const outcomes = async (...args: Parameters<typeof change>) => {
    const { status, body } = await change(...args);
    return status === 200 ? body.res.map(({ outcome }) => outcome) : status;
  };
  const membersOf = async (channelId: ChannelId) =>
    (await t.call(getUsersInChannel, { channelId }, team.admin.token)).body.res.map(({ firstName }) => firstName);
  const promote = (person: Person) =>
    t.call(updateUserData, { id: person.id, firstName: 'A', lastName: 'B', role: 'admin' }, team.admin.token);

  test('into channels: whoever exists becomes a member, once, and the others are named in their place', async () => {
    const channelIds = [team.nord, team.sud, team.nord];
    const ids = [team.out.id, unknown, team.ana.id, team.out.id];
    const { status, body } = await change(ids, { type: 'addToChannels', channelIds });
    expect([status, body.res]).toEqual([
      200,
      [
        { userId: team.out.id, outcome: 'done' },
        { userId: unknown, outcome: 'not_found' },
        { userId: team.ana.id, outcome: 'done' },
        { userId: team.out.id, outcome: 'done' },
      ],
    ]);
    expect([await membersOf(team.nord), await membersOf(team.sud)]).toEqual([
      ['Ana', 'Bo', 'Out'],
      ['Ana', 'Out'],
    ]);
  });

  test('out of channels: they leave the rooms at once', async () => {
    const [ana, bo] = [await enterRoom(t, team.ana, 'Nord'), await enterRoom(t, team.bo, 'Nord')];
    const ids = [team.ana.id, team.bo.id, team.out.id];
    expect(await outcomes(ids, { type: 'removeFromChannels', channelIds: [team.nord] })).toEqual([
      'done',
      'done',
      'done',
    ]);
    for (const socket of [ana, bo]) {
      expect(await socket.next('room_closed')).toEqual({ channelId: team.nord, reason: 'removed' });
    }
    expect([await membersOf(team.nord), await membersOf(team.sud)]).toEqual([[], ['Out']]);
  });

  test('an unknown channel refuses all of it, even for nobody', async () => {
    for (const type of ['addToChannels', 'removeFromChannels'] as const) {
      for (const ids of [[team.out.id], [unknown]]) {
        const reply = await change(ids, { type, channelIds: [team.nord, unknown as string as ChannelId] });
        expect(reply).toMatchObject({ status: 404, body: { params: { what: 'channel' } } });
      }
    }
    expect(await membersOf(team.nord)).toEqual(['Ana', 'Bo']);
  });

  test('access to the map is given and taken, and counts as a change where it is one', async () => {
    await outcomes([team.ana.id], { type: 'setMapRight', mapRight: true });
    expect(await outcomes([team.ana.id, team.bo.id, unknown], { type: 'setMapRight', mapRight: true })).toEqual([
      'done',
      'done',
      'not_found',
    ]);
    const read = async ({ id }: Person) => (await t.call(getUserById, { userId: id }, team.admin.token)).body.res;
    expect(await read(team.ana)).toMatchObject({ mapRight: true, version: 2 });
    expect(await read(team.bo)).toMatchObject({ mapRight: true, version: 2 });
    expect(await read(team.out)).toMatchObject({ mapRight: false, version: 1 });
  });

  test('deleted: signed out at once, out of their rooms, and what they did stays readable', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const ana = await enterRoom(t, team.ana, 'Nord');
    expect(await outcomes([team.ana.id, team.out.id, unknown], { type: 'delete' })).toEqual([
      'done',
      'done',
      'not_found',
    ]);
    expect(await ana.disconnected).toBe('io server disconnect');
    await bo.next('user_exit', ({ id }) => id === ana.id);
    await bo.next('changed', ({ what }) => what === 'memberships');
    for (const { token } of [team.ana, team.out]) {
      expect((await t.call(isValidToken, { token })).body.success).toBe(false);
    }
    expect(await activityLog(t)).toContain('channel_join Ana Nord');
    expect(await membersOf(team.nord)).toEqual(['Bo']);
  });

  test('an administrator stays: the caller when named, else the last one, and the others are deleted', async () => {
    await promote(team.ana);
    await promote(team.bo);
    const all = [team.bo.id, team.admin.id, team.out.id, team.ana.id];
    expect(await outcomes(all, { type: 'delete' })).toEqual(['done', 'last_admin', 'done', 'done']);
    expect((await t.call(getAllUsers, {}, team.admin.token)).body.res.map(({ firstName }) => firstName)).toEqual([
      'Admin',
    ]);
    expect(await outcomes([team.admin.id], { type: 'delete' })).toEqual(['last_admin']);
  });

  test('administrators who delete each other at once leave one', async () => {
    await promote(team.ana);
    const ana = { ...team.ana, token: await t.signIn(team.ana) };
    await Promise.all([
      change([team.ana.id], { type: 'delete' }),
      change([team.admin.id], { type: 'delete' }, ana),
      change([team.admin.id, team.ana.id], { type: 'delete' }),
    ]);
    const left = await t.database.db.select().from(users);
    expect(left.filter(({ role }) => role === 'admin')).toHaveLength(1);
  });

  test.each([
    ['channels', { type: 'addToChannels', channelIds: [] }],
    ['users', null],
    ['kind', { type: 'promote' }],
    ['map right', { type: 'setMapRight' }],
  ])('without %s it is malformed', async (_what, what) => {
    const body = what === null ? { userIds: [], change: { type: 'delete' } } : { userIds: [team.ana.id], change: what };
    expect((await t.post(changeUsers.path, body, team.admin.token)).status).toBe(400);
  });

  test('one act is one piece of news, however many users it was made to', async () => {
    const sockets = await Promise.all([team.admin, team.ana, team.bo].map(({ token }) => t.connect(token)));
    await caughtUp(...sockets);
    await change([team.ana.id, team.bo.id, team.out.id], { type: 'addToChannels', channelIds: [team.sud] });
    await caughtUp(...sockets);
    for (const socket of sockets) {
      const userIds = [team.ana.id, team.bo.id];
      expect(socket.waiting('changed')).toEqual([{ what: 'memberships', channelId: team.sud, userIds }]);
    }
  });

  test('a hundred users at once, and not one more', async () => {
    const rows = Array.from({ length: BULK_MAX }, (_, index) => ({
      id: uuidV7(),
      identifier: `many${index}@example.org`,
      firstName: `Many ${index}`,
      lastName: 'Test',
      passwordHash: '-',
      role: 'member' as const,
    }));
    await t.database.db.insert(users).values(rows);
    const ids = rows.map(({ id }) => id as UserId);
    const channelIds = [team.nord, team.sud];
    expect(new Set(await outcomesOf(ids, { type: 'addToChannels', channelIds }))).toEqual(new Set(['done']));
    const { body } = await t.call(getAllChannels, { limit: 5 }, team.admin.token);
    expect(body.res.map(({ userCount }) => userCount)).toEqual([102, 101]);
    expect((await change([...ids, team.ana.id], { type: 'delete' })).status).toBe(400);
    expect(await outcomesOf(ids, { type: 'delete' })).toHaveLength(BULK_MAX);
    expect((await t.call(getAllUsers, { limit: 1 }, team.admin.token)).body.totalRecords).toBe(4);
  });
  const outcomesOf = async (ids: readonly UserId[], what: UserChange) =>
    (await change(ids, what)).body.res.map(({ outcome }) => outcome);
});
