import { signUpUser } from '@pressel/contract/auth';
import type { CallInput } from '@pressel/contract/call';
import { deleteChannel, getAllChannels } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { deleteUser, getUserById, updatePasswordUser, updateUserData } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, PASSWORD, type TestApp } from '#test/build-test-app.ts';
import { caughtUp, enterRoom, makeTeam, type Team } from '#test/factories.ts';

const unknown = uuidV7();

describe('edits of accounts', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const read = async (id = team.ana.id) => (await t.call(getUserById, { userId: id }, team.admin.token)).body.res;
  const channelsOf = async (id = team.ana.id) => (await read(id)).channels?.map(({ name }) => name);
  const edit = (change: Partial<CallInput<typeof updateUserData>>, token = team.admin.token) =>
    t.post(updateUserData.path, { id: team.ana.id, firstName: 'Ana', lastName: 'Test', ...change }, token);

  test('the second of two concurrent edits of a user is refused, and the first is kept', async () => {
    const { version } = await read();
    expect((await edit({ firstName: 'Anna', pseudo: 'Echo', version })).status).toBe(200);
    const second = await edit({ lastName: 'Other', version, addChannels: [team.sud], password: 'new' });
    expect(second).toMatchObject({ status: 409, body: { code: 'conflict', params: { what: 'user' } } });
    expect(await read()).toMatchObject({ firstName: 'Anna', lastName: 'Test', pseudo: 'Echo', version: version + 1 });
    expect(await channelsOf()).toEqual(['Nord']);
    expect(await t.signIn(team.ana)).toBeTypeOf('string');
    expect((await edit({ lastName: 'Other', version: version + 1 })).status).toBe(200);
  });

  test('of simultaneous edits from one version exactly one succeeds', async () => {
    const { version } = await read();
    const edits = await Promise.all(['A', 'B', 'C', 'D'].map((firstName) => edit({ firstName, version })));
    expect(edits.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect((await read()).version).toBe(version + 1);
  });

  test('a password set by its own call counts as a change', async () => {
    const { version } = await read();
    await t.call(updatePasswordUser, { id: team.ana.id, password: PASSWORD }, team.admin.token);
    expect((await edit({ version })).status).toBe(409);
  });

  test('channels come and go with the edit, the live room follows, and others learn of it', async () => {
    const ana = await enterRoom(t, team.ana, 'Nord');
    const [admin, out] = [await t.connect(team.admin.token), await t.connect(team.out.token)];
    await caughtUp(admin, out);
    const change = { addChannels: [team.sud, team.sud], removeChannels: [team.nord] };
    expect((await edit(change)).status).toBe(200);
    expect(await channelsOf()).toEqual(['Sud']);
    expect(await ana.next('room_closed')).toEqual({ channelId: team.nord, reason: 'removed' });
    for (const socket of [admin, out, ana]) await socket.next('changed', ({ what }) => what === 'memberships');
    await admin.next('changed', ({ what }) => what === 'users');
    expect(await ana.send('join_room', { room: 'Sud' })).toMatchObject({ ok: true });
  });

  test('an unknown channel refuses the whole edit', async () => {
    const reply = await edit({ firstName: 'Nobody', addChannels: [team.sud, unknown as ChannelId] });
    expect(reply).toMatchObject({ status: 404, body: { params: { what: 'channel' } } });
    expect(await edit({ removeChannels: [unknown as ChannelId] })).toMatchObject({ status: 404 });
    expect(await read()).toMatchObject({ firstName: 'Ana', version: 1 });
    expect(await channelsOf()).toEqual(['Nord']);
  });

  test('members do not edit channels, not even their own', async () => {
    for (const change of [{ addChannels: [team.sud] }, { removeChannels: [team.nord] }]) {
      expect((await edit(change, team.ana.token)).status).toBe(403);
    }
    expect((await edit({ addChannels: [], removeChannels: [] }, team.ana.token)).status).toBe(200);
    expect(await channelsOf()).toEqual(['Nord']);
  });

  test('a new name is news for administrators and fellow members, for nobody else', async () => {
    const sockets = await Promise.all([team.admin, team.bo, team.out].map(({ token }) => t.connect(token)));
    const [admin, bo, out] = sockets;
    await caughtUp(...sockets);
    await edit({ firstName: 'Renamed' });
    const news = { what: 'users', userIds: [team.ana.id] };
    expect(await admin?.next('changed')).toEqual(news);
    expect(await bo?.next('changed')).toEqual(news);
    await caughtUp(...sockets);
    expect(out?.waiting('changed')).toEqual([]);
  });

  test('edits that race with a deletion succeed or answer not_found', async () => {
    const racing = await Promise.all([
      t.post(deleteUser.path, { UserId: team.ana.id }, team.admin.token),
      t.post(deleteUser.path, { UserId: team.ana.id }, team.admin.token),
      edit({ addChannels: [team.sud] }),
      t.post(updatePasswordUser.path, { id: team.ana.id, password: 'x' }, team.admin.token),
      t.post(deleteChannel.path, { channelId: team.sud }, team.admin.token),
      edit({ addChannels: [team.sud] }),
    ]);
    const statuses = racing.map(({ status }) => status);
    expect(statuses.slice(0, 2).toSorted()).toEqual([200, 404]);
    expect(statuses.every((status) => status === 200 || status === 404)).toBe(true);
    expect((await edit({})).status).toBe(404);
  });

  describe('creating with channels', () => {
    const account = { firstName: 'New', lastName: 'Test', email: 'new@example.org', password: PASSWORD };
    const create = (channelList: readonly string[], token?: string) =>
      t.post(signUpUser.path, { ...account, channelList }, token);
    const created = async () => {
      const { id } = (await t.post(signUpUser.path, account)).body.user as { id: never };
      return channelsOf(id);
    };

    test('an administrator’s user is a member from the start, and members of the channels learn of it', async () => {
      const bo = await t.connect(team.bo.token);
      await caughtUp(bo);
      const { status, body } = await create([team.nord, team.sud, team.nord], team.admin.token);
      expect(status).toBe(200);
      expect(await channelsOf((body.user as { id: never }).id)).toEqual(['Nord', 'Sud']);
      expect(await bo.next('changed')).toMatchObject({ what: 'memberships' });
    });

    test('an unknown channel refuses the user', async () => {
      const reply = await create([team.nord, unknown], team.admin.token);
      expect(reply).toMatchObject({ status: 404, body: { params: { what: 'channel' } } });
      expect(await created()).toEqual([]);
    });

    test('a list of channels sent by anybody else is ignored', async () => {
      for (const token of [undefined, team.ana.token]) {
        const { status, body } = await create([team.nord, unknown], token);
        expect(status).toBe(200);
        const { id } = body.user as { id: never };
        expect(await channelsOf(id)).toEqual([]);
        await t.call(deleteUser, { UserId: id }, team.admin.token);
      }
      expect((await t.call(getAllChannels, {}, team.admin.token)).body.res.map(({ userCount }) => userCount)).toEqual([
        2, 1,
      ]);
    });

    test('a creation that races with a channel’s deletion succeeds or answers not_found', async () => {
      for (let round = 0; round < 4; round += 1) {
        const email = `race${round}@example.org`;
        const channelId = round === 0 ? team.nord : team.sud;
        const [made] = await Promise.all([
          t.post(signUpUser.path, { ...account, email, channelList: [channelId] }, team.admin.token),
          t.post(deleteChannel.path, { channelId }, team.admin.token),
        ]);
        expect([200, 404]).toContain(made.status);
      }
    });
  });
});
