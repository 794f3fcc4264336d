import {
  deleteUserTokens,
  getServerInfo,
  isValidToken,
  logIn,
  logOut,
  signUpUser,
  verifyPassword,
} from '@pressel/contract/auth';
import { REMEMBERED_SESSION_MS, SESSION_MS } from '@pressel/contract/limits';
import { getAllUsers } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildTestApp, PASSWORD, type TestApp } from '#test/build-test-app.ts';

const registration = (email: string) => ({ firstName: 'Ana', lastName: 'Ruiz', email, password: PASSWORD });

describe('accounts and sessions', () => {
  let t: TestApp;
  let time: Date;
  beforeEach(async () => {
    time = new Date('2026-03-01T08:00:00Z');
    t = await buildTestApp({ now: () => time });
  });
  afterEach(() => t.close());

  test('of 20 simultaneous first sign-ups exactly one is administrator', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => t.call(signUpUser, registration(`p${index}@example.org`))),
    );
    expect(replies.map((reply) => reply.status)).toEqual(Array(20).fill(200));
    expect(replies.filter((reply) => reply.body.user.role === 'admin')).toHaveLength(1);
  });

  test('an account made with the token of an administrator has the given pseudo and map right, and is a member', async () => {
    const admin = await t.signUp('Admin');
    await t.call(signUpUser, { ...registration('new@example.org'), pseudo: 'Echo', mapRight: true }, admin.token);
    const { body } = await t.call(getAllUsers, {}, admin.token);
    expect(body.res.find((user) => user.identifier === 'new@example.org')).toMatchObject({
      pseudo: 'Echo',
      mapRight: true,
      role: 'member',
      display_name: 'Echo',
    });
  });

  test('pseudo and map right of a stranger are not heeded', async () => {
    const admin = await t.signUp('Admin');
    await t.call(signUpUser, { ...registration('new@example.org'), pseudo: 'Echo', mapRight: true });
    const { body } = await t.call(getAllUsers, {}, admin.token);
    expect(body.res.find((user) => user.identifier === 'new@example.org')).toMatchObject({
      pseudo: '',
      mapRight: false,
    });
  });

  test('a login exists once, whatever its case', async () => {
    await t.signUp('Ana');
    const { status, body } = await t.call(signUpUser, registration('ANA@example.org'));
    expect([status, body.code]).toEqual([409, 'duplicate_login']);
  });

  test.each([
    ['a blank first name', { firstName: '  ' }, 'firstName'],
    ['a name of invisible characters', { lastName: '\u200b\u200b' }, 'lastName'],
    ['a login that is no e-mail address', { email: 'ana' }, 'email'],
    ['a login of 51 characters', { email: `${'a'.repeat(39)}@example.org` }, 'email'],
    ['an empty password', { password: '' }, 'password'],
    ['a password of 129 characters', { password: 'p'.repeat(129) }, 'password'],
    ['a name that is no text', { firstName: 7 }, 'firstName'],
  ])('sign-up refuses %s and names the field', async (_what, fault, path) => {
    const { status, body } = await t.post(signUpUser.path, { ...registration('ana@example.org'), ...fault });
    expect([status, body.code]).toEqual([400, 'malformed']);
    expect(body.params).toMatchObject({ issues: [{ path }] });
  });

  test('signing in tells nothing about which of login and password is wrong', async () => {
    await t.signUp('Ana');
    const wrongPassword = await t.call(logIn, { user_email: 'ana@example.org', user_password: 'no' });
    const wrongLogin = await t.call(logIn, { user_email: 'nobody@example.org', user_password: PASSWORD });
    expect(wrongPassword.status).toBe(401);
    expect(wrongLogin).toEqual(wrongPassword);
  });

  test('the eleventh wrong password in a row is refused with the time to wait, and so is the right one', async () => {
    await t.signUp('Ana');
    const attempts = await Promise.all(
      Array.from({ length: 11 }, () => t.call(logIn, { user_email: 'ana@example.org', user_password: 'no' })),
    );
    expect(attempts.map((reply) => reply.status).toSorted()).toEqual([...Array(10).fill(401), 429]);
    const right = await t.call(logIn, { user_email: 'Ana@example.org', user_password: PASSWORD });
    expect(right.status).toBe(429);
    expect(right.body.params?.retryAfterSeconds).toBeGreaterThan(0);
  });

  test('right passwords are never counted against an address', async () => {
    const ana = await t.signUp('Ana');
    for (let index = 0; index < 12; index += 1) await t.signIn(ana);
    expect((await t.call(isValidToken, { token: await t.signIn(ana) })).body.success).toBe(true);
  });

  test('a session ends 12 hours after sign-in, however much it was used', async () => {
    const ana = await t.signUp('Ana');
    time = new Date(time.getTime() + SESSION_MS - 1000);
    expect((await t.call(isValidToken, { token: ana.token })).body.success).toBe(true);
    time = new Date(time.getTime() + 1000);
    expect((await t.call(isValidToken, { token: ana.token })).body.success).toBe(false);
  });

  test('a remembered session lasts 30 days from its last use', async () => {
    const token = await t.signIn(await t.signUp('Ana'), true);
    for (let use = 0; use < 2; use += 1) {
      time = new Date(time.getTime() + REMEMBERED_SESSION_MS - 60_000);
      expect((await t.call(isValidToken, { token })).body.success).toBe(true);
    }
    time = new Date(time.getTime() + REMEMBERED_SESSION_MS);
    expect((await t.call(isValidToken, { token })).body.success).toBe(false);
  });

  test('logout ends this token and its sockets at once, and no other of the user', async () => {
    const ana = await t.signUp('Ana');
    const other = await t.signIn(ana);
    const socket = await t.connect(ana.token);
    expect((await t.call(logOut, { userId: ana.id }, ana.token)).status).toBe(200);
    expect(await socket.disconnected).toBe('io server disconnect');
    expect((await t.call(isValidToken, { token: ana.token })).body.success).toBe(false);
    expect((await t.call(isValidToken, { token: other })).body.success).toBe(true);
  });

  test('logging somebody else out is refused', async () => {
    const admin = await t.signUp('Admin');
    const ana = await t.signUp('Ana');
    expect((await t.call(logOut, { userId: admin.id }, ana.token)).status).toBe(403);
    expect((await t.call(isValidToken, { token: ana.token })).body.success).toBe(true);
  });

  test('an administrator ends all sessions of a user; a member only their own', async () => {
    const admin = await t.signUp('Admin');
    const ana = await t.signUp('Ana');
    const socket = await t.connect(ana.token);
    expect((await t.call(deleteUserTokens, { userId: admin.id }, ana.token)).status).toBe(403);
    expect((await t.call(deleteUserTokens, { userId: ana.id }, admin.token)).status).toBe(200);
    expect(await socket.disconnected).toBe('io server disconnect');
    expect((await t.call(isValidToken, { token: ana.token })).body.success).toBe(false);
  });

  test('verifyPassword answers for the own account only', async () => {
    const admin = await t.signUp('Admin');
    const ana = await t.signUp('Ana');
    expect((await t.call(verifyPassword, { id: ana.id, password: PASSWORD }, ana.token)).body.result).toBe(true);
    expect((await t.call(verifyPassword, { id: ana.id, password: 'no' }, ana.token)).body.result).toBe(false);
    expect((await t.call(verifyPassword, { id: admin.id, password: PASSWORD }, ana.token)).status).toBe(403);
    expect((await t.call(verifyPassword, { password: PASSWORD })).status).toBe(401);
  });

  test('the server says that the first account is still to come, and then no longer', async () => {
    expect((await t.call(getServerInfo, undefined)).body).toMatchObject({ isFirstUser: true, signup: 'open' });
    await t.signUp('Ana');
    expect((await t.call(getServerInfo, undefined)).body.isFirstUser).toBe(false);
  });

  test('no password, token or name reaches the log', async () => {
    const ana = await t.signUp('Ana');
    const socket = await t.connect(ana.token);
    socket.close();
    await t.post(signUpUser.path, { ...registration('x'), firstName: 'Geheim' });
    const log = JSON.stringify(t.logLines);
    for (const secret of [ana.token, PASSWORD, 'Ruiz', 'Geheim', 'ana@example.org']) expect(log).not.toContain(secret);
  });
});

describe('sign-up policies', () => {
  test('SIGNUP=admin makes every account an administrator', async () => {
    const t = await buildTestApp({ config: { signup: 'admin' } });
    await t.signUp('Ana');
    expect((await t.call(signUpUser, registration('b@example.org'))).body.user.role).toBe('admin');
    await t.close();
  });

  test('SIGNUP=closed refuses strangers and still lets an administrator create members', async () => {
    const open = await buildTestApp();
    const admin = await open.signUp('Admin');
    const t = await buildTestApp({ config: { signup: 'closed' }, database: open.database });
    expect((await t.call(signUpUser, registration('b@example.org'))).body.code).toBe('signup_closed');
    expect((await t.call(getServerInfo, undefined)).body.signup).toBe('closed');
    const made = await t.call(signUpUser, registration('b@example.org'), admin.token);
    expect([made.status, made.body.user.role]).toEqual([200, 'member']);
    await t.close();
    await open.close();
  });

  test('PASSWORD_MIN_LENGTH raises what the server takes', async () => {
    const t = await buildTestApp({ config: { passwordMinLength: 20 } });
    const { status, body } = await t.call(signUpUser, registration('b@example.org'));
    expect([status, body.code, body.params]).toEqual([400, 'password_too_short', { minLength: 20 }]);
    await t.close();
  });
});
