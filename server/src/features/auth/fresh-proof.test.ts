import { deleteUserTokens, logIn, verifyPassword } from '@pressel/contract/auth';
import { PROOF_MS } from '@pressel/contract/limits';
import { getUserById, updatePasswordUser, updateUserData, uploadUserPhoto } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildTestApp, PASSWORD, type Person, type TestApp } from '#test/build-test-app.ts';

const names = { firstName: 'Ana', lastName: 'Ruiz' };

describe('a fresh proof of the own password', () => {
  let t: TestApp;
  let time: Date;
  let admin: Person;
  let ana: Person;
  beforeEach(async () => {
    time = new Date('2026-11-20T10:00:00Z');
    t = await buildTestApp({ now: () => time });
    admin = await t.signUp('Admin');
    ana = await t.signUp('Ana');
  });
  afterEach(() => t.close());

  const verify = (token: string, password = PASSWORD) => t.call(verifyPassword, { password }, token);
  const ACTS = {
    'somebody else’s names': (token: string) => t.post(updateUserData.path, { id: ana.id, ...names }, token),
    'somebody else’s photo': (token: string) => t.post(uploadUserPhoto.path, { userId: ana.id, photo_url: '' }, token),
    'somebody else’s password, by its own call': (token: string) =>
      t.post(updatePasswordUser.path, { id: ana.id, password: 'new' }, token),
    'the own password, by its own call': (token: string) =>
      t.post(updatePasswordUser.path, { id: admin.id, password: PASSWORD }, token),
    'the own password, with the profile': (token: string) =>
      t.post(updateUserData.path, { id: admin.id, ...names, password: PASSWORD }, token),
    'the own role': (token: string) => t.post(updateUserData.path, { id: admin.id, ...names, role: 'member' }, token),
  };
  const acts = Object.entries(ACTS).map(([what, act]) => ({ what, act }));
  const answer = async (act: (token: string) => ReturnType<TestApp['post']>, token = admin.token) => {
    const { status, body } = await act(token);
    return status === 200 ? 200 : [status, body.code, body.params];
  };
  const REFUSED = [403, 'verification_required', {}];

  test.each(acts)(
    'AUTH1: $what: refused before, let through after, and refused five minutes later',
    async ({ act }) => {
      expect(await answer(act)).toEqual(REFUSED);
      expect((await verify(admin.token)).body.result).toBe(true);
      time = new Date(time.getTime() + PROOF_MS);
      expect(await answer(act)).toEqual(REFUSED);
      time = new Date(time.getTime() - 1);
      // The last administrator keeps the role: the proof is no longer what is missing.
      expect([200, [409, 'last_admin', {}]]).toContainEqual(await answer(act));
    },
  );

  test('AUTH1: a refused change changed nothing', async () => {
    for (const { act } of acts) await act(admin.token);
    const { body } = await t.call(getUserById, { userId: ana.id }, admin.token);
    expect(body.res).toMatchObject({ lastName: 'Test', version: 1 });
    expect((await t.call(logIn, { user_email: ana.email, user_password: PASSWORD })).status).toBe(200);
  });

  test('AUTH1: a wrong password is no proof, nor does it end one', async () => {
    expect((await verify(admin.token, 'no')).body.result).toBe(false);
    expect(await answer(ACTS['somebody else’s names'])).toEqual(REFUSED);
    await verify(admin.token);
    await verify(admin.token, 'no');
    expect(await answer(ACTS['somebody else’s names'])).toBe(200);
  });

  test('AUTH1: signing in is no proof: whoever takes over an open screen has that too', async () => {
    expect(await answer(ACTS['somebody else’s names'], await t.signIn(admin))).toEqual(REFUSED);
  });

  test('AUTH2: the proof is this session’s alone, and ends with it', async () => {
    const other = await t.signIn(admin);
    await verify(admin.token);
    expect(await answer(ACTS['somebody else’s names'], other)).toEqual(REFUSED);
    await t.call(deleteUserTokens, { userId: admin.id }, other);
    expect(await answer(ACTS['somebody else’s names'])).toEqual([401, 'unauthenticated', {}]);
    expect(await answer(ACTS['somebody else’s names'], await t.signIn(admin))).toEqual(REFUSED);
  });

  test('AUTH2: a clock that is set back does not make a proof last', async () => {
    await verify(admin.token);
    time = new Date(time.getTime() - PROOF_MS);
    expect(await answer(ACTS['somebody else’s names'])).toEqual(REFUSED);
  });

  test('AUTH3: the own names ask for none, with the role as it is and without a password', async () => {
    expect((await t.call(updateUserData, { id: ana.id, ...names }, ana.token)).status).toBe(200);
    const own = { id: admin.id, ...names, role: 'admin' as const, mapRight: true };
    expect((await t.call(updateUserData, own, admin.token)).status).toBe(200);
  });

  test('AUTH3: a member without the right is told so, not asked for a password', async () => {
    const others = await t.call(updateUserData, { id: admin.id, ...names }, ana.token);
    const role = await t.call(updateUserData, { id: ana.id, ...names, role: 'admin' }, ana.token);
    const password = await t.call(updatePasswordUser, { id: admin.id, password: 'x' }, ana.token);
    const photo = await t.call(uploadUserPhoto, { userId: admin.id, photo_url: '' }, ana.token);
    for (const { status, body } of [others, role, password, photo])
      expect([status, body.code]).toEqual([403, 'forbidden']);
  });

  test('AUTH2: giving the own password is limited as signing in is', async () => {
    const tries = await Promise.all(Array.from({ length: 11 }, () => verify(admin.token, 'no')));
    expect(tries.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(200), 429]);
    expect((await verify(admin.token)).status).toBe(429);
    expect(await answer(ACTS['somebody else’s names'])).toEqual(REFUSED);
  });
});
