import { isValidToken, logIn } from '@pressel/contract/auth';
import { deleteUser, getUserById, updatePasswordUser, updateUserData } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { uuidV7 } from '#src/shared/ids.ts';
import { buildTestApp, PASSWORD, type TestApp } from '#test/build-test-app.ts';
import { activityLog, enterRoom, makeTeam, type Team } from '#test/factories.ts';

const unknown = uuidV7();
const names = { firstName: 'Ana', lastName: 'Ruiz' };

describe('accounts', () => {
  let t: TestApp;
  let team: Team;
  beforeEach(async () => {
    t = await buildTestApp();
    team = await makeTeam(t);
  });
  afterEach(() => t.close());

  const isSignedIn = async (token: string) => (await t.call(isValidToken, { token })).body.success;
  const read = async (id = team.ana.id) => (await t.call(getUserById, { userId: id }, team.admin.token)).body.res;
  const opens = async (email: string, password: string) =>
    (await t.call(logIn, { user_email: email, user_password: password })).status === 200;

  test('members read themselves, administrators anybody', async () => {
    expect((await t.call(getUserById, { userId: team.ana.id }, team.ana.token)).body.res).toMatchObject({
      identifier: 'ana@example.org',
    });
    expect((await t.call(getUserById, { userId: team.bo.id }, team.ana.token)).status).toBe(403);
    expect((await t.post(getUserById.path, { userId: unknown }, team.admin.token)).status).toBe(404);
    expect(JSON.stringify(await read())).not.toContain('argon2');
  });

  test('an edit changes everything but the login, and an empty password keeps the old one', async () => {
    const edit = {
      id: team.ana.id,
      ...names,
      email: 'other@example.org',
      pseudo: 'Echo',
      phone_number: '1',
      mapRight: true,
    };
    expect((await t.call(updateUserData, edit, team.admin.token)).status).toBe(200);
    expect(await read()).toMatchObject({ ...names, pseudo: 'Echo', phone_number: '1', mapRight: true, role: 'member' });
    expect((await read()).identifier).toBe('ana@example.org');
    expect(await opens(team.ana.email, PASSWORD)).toBe(true);
  });

  test('members edit themselves, but neither role nor map right, nor anybody else', async () => {
    const own = { id: team.ana.id, ...names, mapRight: false, role: 'member' as const };
    expect((await t.call(updateUserData, own, team.ana.token)).status).toBe(200);
    expect((await t.call(updateUserData, { ...own, mapRight: true }, team.ana.token)).status).toBe(403);
    expect((await t.call(updateUserData, { ...own, role: 'admin' }, team.ana.token)).status).toBe(403);
    expect((await t.call(updateUserData, { ...own, id: team.bo.id }, team.ana.token)).status).toBe(403);
    expect(await read()).toMatchObject({ role: 'member', mapRight: false });
  });

  test('a blank name is malformed and names the field', async () => {
    const { status, body } = await t.post(
      updateUserData.path,
      { id: team.ana.id, ...names, firstName: ' ' },
      team.admin.token,
    );
    expect([status, body.params]).toMatchObject([400, { issues: [{ path: 'firstName' }] }]);
  });

  test.each([
    ['updatePasswordUser', (id: string) => [updatePasswordUser.path, { id, password: 'new' }] as const],
    ['updateUserData', (id: string) => [updateUserData.path, { id, ...names, password: 'new' }] as const],
  ])(
    'a new password by %s ends the other sessions and their sockets, not the one that set it',
    async (_name, change) => {
      const other = await t.signIn(team.ana);
      const socket = await t.connect(other);
      expect((await t.post(...change(team.ana.id), team.ana.token)).status).toBe(200);
      expect(await socket.disconnected).toBe('io server disconnect');
      expect([await isSignedIn(other), await isSignedIn(team.ana.token)]).toEqual([false, true]);
      expect([await opens(team.ana.email, PASSWORD), await opens(team.ana.email, 'new')]).toEqual([false, true]);
    },
  );

  test('who becomes administrator comes back as one', async () => {
    const socket = await t.connect(team.ana.token);
    await t.call(updateUserData, { id: team.ana.id, ...names, role: 'admin' }, team.admin.token);
    await socket.disconnected;
    const back = await enterRoom(t, team.ana, 'Sud');
    expect(back.state.self.role).toBe('admin');
  });

  test('there is always an administrator: of two who demote each other at once one stays', async () => {
    await t.call(updateUserData, { id: team.ana.id, ...names, role: 'admin' }, team.admin.token);
    const demote = (id: string, token: string) => t.post(updateUserData.path, { id, ...names, role: 'member' }, token);
    const replies = await Promise.all([
      demote(team.admin.id, team.ana.token),
      demote(team.ana.id, team.admin.token),
      t.post(deleteUser.path, { UserId: team.admin.id }, team.admin.token),
    ]);
    expect(replies.every(({ status }) => status === 200)).toBe(false);
    const rows = await Promise.all([team.ana, team.admin].map(({ token }) => t.call(isValidToken, { token })));
    const roles = rows.map(({ body }) => (body.success ? body.user.role : null));
    expect(roles).toContain('admin');
  });

  test('a deleted user is signed out at once, leaves the room, and what they did stays readable', async () => {
    const bo = await enterRoom(t, team.bo, 'Nord');
    const ana = await enterRoom(t, team.ana, 'Nord');
    expect((await t.call(deleteUser, { UserId: team.ana.id }, team.admin.token)).status).toBe(200);
    expect(await ana.disconnected).toBe('io server disconnect');
    await bo.next('user_exit', ({ id }) => id === ana.id);
    expect(await isSignedIn(team.ana.token)).toBe(false);
    expect(await opens(team.ana.email, PASSWORD)).toBe(false);
    expect(await activityLog(t)).toContain('channel_join Ana Nord');
    expect((await t.call(deleteUser, { UserId: team.ana.id }, team.admin.token)).status).toBe(404);
    expect((await t.call(deleteUser, { UserId: team.admin.id }, team.admin.token)).body.code).toBe('last_admin');
  });
});
