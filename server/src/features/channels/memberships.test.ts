import {
  createChannel,
  deleteChannel,
  getAllChannels,
  getUsersInChannel,
  removeUserChannels,
  updateChannel,
  updateChannelUsers,
  updateUserChannels,
  updateUserChannelsByChannelName,
} from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { deleteUser, getUserById } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { users } from '#src/db/schema/users.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, type Person, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, makeChannel, makeTeam, type Team } from '#test/factories.ts';

const unknown = uuidV7();
const byName = updateUserChannelsByChannelName;

describe('memberships', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const send = (path: string, body: object) => t.post(path, body, team.admin.token);
  const channelsOf = async (userId: UserId = team.ana.id) =>
    (await t.call(getUserById, { userId }, team.admin.token)).body.res.channels?.map(({ name }) => name);
  const membersOf = async (channelId: ChannelId) =>
    (await t.call(getUsersInChannel, { channelId }, team.admin.token)).body.res.map(({ firstName }) => firstName);

  test('updateChannelUsers sets exactly the channels of a user, and live rooms follow', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const bystander = await t.connect(team.out.token);
    await caughtUp(bystander);
    const body = { userId: team.ana.id, channelList: [team.sud, team.sud] };
    expect((await send(updateChannelUsers.path, body)).status).toBe(200);
    expect(await channelsOf()).toEqual(['Sud']);
    expect(await ana.next('room_closed')).toEqual({ channelId: team.nord, reason: 'removed' });
    const news = { what: 'memberships', userIds: [team.ana.id] };
    expect(await ana.next('changed')).toEqual(news);
    expect(await bystander.next('changed')).toEqual(news);
    expect((await send(updateChannelUsers.path, { userId: team.ana.id, channelList: [] })).status).toBe(200);
    expect(await channelsOf()).toEqual([]);
  });

  test('an unknown channel or user changes nothing', async () => {
    const bad = await send(updateChannelUsers.path, { userId: team.ana.id, channelList: [team.sud, unknown] });
    expect(bad).toMatchObject({ status: 404, body: { params: { what: 'channel' } } });
    expect(await channelsOf()).toEqual(['Nord']);
    for (const channelList of [[], [team.nord]]) {
      const reply = await send(updateChannelUsers.path, { userId: unknown, channelList });
      expect(reply).toMatchObject({ status: 404, body: { params: { what: 'user' } } });
    }
  });

  test.each([
    ['a list', ['Sud', ' N o r d ', 'Sud'], ['Nord', 'Sud']],
    ['a cell', 'Sud; Nord', ['Nord', 'Sud']],
    ['a cell with a name in quotes', '"Est; ""loin"""; Sud', ['Est; "loin"', 'Sud']],
    ['an empty cell', '', []],
    ['an empty list', [], []],
  ])('updateUserChannelsByChannelName sets exactly the channels of %s', async (_what, channelNames, expected) => {
    await makeChannel(t, team.admin, 'Est; "loin"');
    expect((await send(byName.path, { userIdentifier: ' ANA@example.org ', channelNames })).status).toBe(200);
    expect(await channelsOf()).toEqual(expected);
  });

  test.each([
    ['a name that no channel has', 'ana@example.org', ['Sud', 'Ouest'], 'channel'],
    ['a blank name', 'ana@example.org', ['Sud', ' '], 'channel'],
    ['a name in another case, which is another name', 'ana@example.org', ['SUD'], 'channel'],
    ['a login that nobody has', 'nobody@example.org', ['Sud'], 'user'],
  ])('by %s nothing is changed', async (_what, userIdentifier, channelNames, what) => {
    const reply = await send(byName.path, { userIdentifier, channelNames });
    expect(reply).toMatchObject({ status: 404, body: { code: 'not_found', params: { what } } });
    expect(await channelsOf()).toEqual(['Nord']);
  });

  test('removeUserChannels takes a user out of everything, whatever the case of the login', async () => {
    await send(updateChannelUsers.path, { userId: team.ana.id, channelList: [team.nord, team.sud] });
    const ana = await enterRoom(t, team.ana, 'Sud');
    expect((await send(removeUserChannels.path, { userIdentifier: 'Ana@Example.ORG' })).status).toBe(200);
    expect(await channelsOf()).toEqual([]);
    expect(await ana.next('room_closed')).toMatchObject({ channelId: team.sud });
    expect((await send(removeUserChannels.path, { userIdentifier: 'Ana@Example.ORG' })).status).toBe(200);
    expect((await send(removeUserChannels.path, { userIdentifier: 'x@example.org' })).status).toBe(404);
  });

  test.each([
    [updateChannelUsers.path, { userId: 'x', channelList: [] }],
    [updateChannelUsers.path, { userId: unknown, channelList: ['x'] }],
    [byName.path, { userIdentifier: 'a@b.example', channelNames: 1 }],
    [byName.path, { channelNames: [] }],
    [removeUserChannels.path, {}],
  ])('%s refuses %j as malformed', async (path, body) => {
    expect((await send(path, body)).status).toBe(400);
  });

  test('updateChannel adds and takes away members beside what others changed meanwhile', async () => {
    const edit = (change: object) => send(updateChannel.path, { channelId: team.nord, channelName: 'Nord', ...change });
    expect((await edit({ addUsers: [team.out.id, team.out.id], removeUsers: [team.ana.id] })).status).toBe(200);
    expect(await membersOf(team.nord)).toEqual(['Bo', 'Out']);
    expect((await edit({ removeUsers: [team.ana.id, unknown] })).status).toBe(200);
    const bad = await edit({ channelName: 'Other', addUsers: [team.ana.id, unknown] });
    expect(bad).toMatchObject({ status: 404, body: { params: { what: 'user' } } });
    expect(await membersOf(team.nord)).toEqual(['Bo', 'Out']);
    expect((await edit({ userList: [team.ana.id], addUsers: [team.bo.id], removeUsers: [team.ana.id] })).status).toBe(
      200,
    );
    expect(await membersOf(team.nord)).toEqual(['Bo']);
  });

  test('the second of two concurrent edits of a channel is refused; changes of members are no conflict', async () => {
    const channel = { channelId: team.nord, version: 1 };
    expect((await send(updateChannel.path, { ...channel, channelName: 'Nord', addUsers: [team.out.id] })).status).toBe(
      200,
    );
    expect((await send(updateChannel.path, { ...channel, channelName: 'North' })).status).toBe(200);
    const second = await send(updateChannel.path, { ...channel, channelName: 'Norden', removeUsers: [team.out.id] });
    expect(second).toMatchObject({ status: 409, body: { code: 'conflict', params: { what: 'channel' } } });
    const { body } = await t.call(getAllChannels, { limit: 1 }, team.admin.token);
    expect(body.res).toMatchObject([{ name: 'North', version: 2, userCount: 3 }]);
  });

  test('changes that race with deletions succeed or answer not_found', async () => {
    for (let round = 0; round < 3; round += 1) {
      const person = await t.signUp(`Racer${round}`);
      const channelId = await makeChannel(t, team.admin, `Race ${round}`, [person.id]);
      const replies = await Promise.all([
        send(updateChannelUsers.path, { userId: person.id, channelList: [channelId, team.nord] }),
        send(byName.path, { userIdentifier: person.email, channelNames: [`Race ${round}`] }),
        send(deleteChannel.path, { channelId }),
        send(updateChannel.path, { channelId, channelName: `Raced ${round}`, addUsers: [team.ana.id] }),
        send(updateUserChannels.path, { channelId, userList: [person.id, team.bo.id] }),
        send(deleteUser.path, { UserId: person.id }),
        send(createChannel.path, { channelName: `Late ${round}`, userList: [person.id] }),
        send(removeUserChannels.path, { userIdentifier: person.email }),
      ]);
      expect(replies.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
    }
  });

  test('a change is announced once, only to members of the channels and the users concerned', async () => {
    const dee = await t.signUp('Dee');
    const people = [team.admin, team.ana, team.bo, team.out, dee];
    const sockets = await Promise.all(people.map(({ token }) => t.connect(token)));
    await caughtUp(...sockets);
    await send(updateUserChannels.path, { channelId: team.nord, userList: [team.bo.id, team.out.id] });
    await caughtUp(...sockets);
    const news = (...people: Person[]) => [
      { what: 'memberships', channelId: team.nord, ...(people.length > 0 && { userIds: people.map(({ id }) => id) }) },
    ];
    // Newcomers are not told who left, and those who left are not told who came.
    expect(sockets.map((socket) => socket.waiting('changed'))).toEqual([
      ...[news(team.out, team.ana), news(), news(team.out, team.ana), news(team.out), []],
    ]);
  });

  test('five thousand users come into a channel and go out of it in one act, and those inside leave', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => ({
      id: uuidV7() as UserId,
      identifier: `m${index}@example.org`,
      firstName: `M${index}`,
      lastName: 'Many',
      passwordHash: '-',
      role: 'member' as const,
    }));
    for (let start = 0; start < rows.length; start += 1_000) {
      await t.database.db.insert(users).values(rows.slice(start, start + 1_000));
    }
    const ana = await enterRoom(t, team.ana, 'Nord');
    const userList = [...rows.map(({ id }) => id), team.ana.id];
    expect((await send(updateUserChannels.path, { channelId: team.nord, userList })).status).toBe(200);
    expect((await send(updateUserChannels.path, { channelId: team.nord, userList: [] })).status).toBe(200);
    expect(await ana.next('room_closed')).toMatchObject({ reason: 'removed' });
  });
});
