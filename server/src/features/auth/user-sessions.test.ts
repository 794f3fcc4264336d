import { randomUUID } from 'node:crypto';
import {
  endSession,
  getPasswordProof,
  getUserSessions,
  isValidToken,
  logIn,
  verifyPassword,
} from '@pressel/contract/auth';
import { PROOF_MS } from '@pressel/contract/limits';
import { deleteUser } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildTestApp, PASSWORD, type Person, type TestApp } from '#test/build-test-app.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
/** Larger than any call without a limit of its own may be. */
const HUGE = 'x'.repeat(200_000);

let t: TestApp;
let time: Date;
let admin: Person;
let ana: Person;
beforeEach(async () => {
  time = new Date('2026-03-01T08:00:00Z');
  t = await buildTestApp({ now: () => time });
  admin = await t.signUp('Admin');
  ana = await t.signUp('Ana');
});
afterEach(() => t.close());

const sessionsOf = async (person: Person, token: string) =>
  (await t.call(getUserSessions, { userId: person.id }, token)).body.res;
const isValid = async (token: string) => (await t.call(isValidToken, { token }, '')).body.success;

describe('[AUTH15] the sessions of a user', () => {
  test('an administrator sees device, age and whether it is connected, the newest first, and nothing that opens one', async () => {
    time = new Date(time.getTime() + 60_000);
    await t.app.inject({
      method: 'POST',
      url: logIn.path,
      headers: { 'user-agent': FIREFOX },
      payload: { user_email: ana.email, user_password: PASSWORD, remember: true },
    });
    await t.connect(ana.token);
    time = new Date(time.getTime() + 1_000);
    const [newest, oldest] = await sessionsOf(ana, admin.token);
    const seen = {
      remember: true,
      isOwn: false,
      isConnected: false,
      ageMs: 1_000,
      browser: 'Firefox',
      system: 'Linux',
    };
    expect(newest).toEqual({ ...seen, id: expect.any(String), createdAt: '2026-03-01T08:01:00.000Z' });
    expect(oldest).toMatchObject({ remember: false, isConnected: true, ageMs: 61_000, browser: null, system: null });
    expect(Object.keys(oldest ?? {})).not.toContain('tokenHash');
  });

  test('expired ones are not among them; members see their own alone', async () => {
    const later = await t.signIn(ana, true);
    time = new Date(time.getTime() + 86_400_000);
    expect(await sessionsOf(ana, later)).toMatchObject([{ isOwn: true, remember: true }]);
    const others = await t.call(getUserSessions, { userId: admin.id }, later);
    expect([others.status, others.body.code]).toEqual([403, 'forbidden']);
  });

  test('[AUTH16] an administrator ends one: its socket closes, the others go on, and the log has it', async () => {
    const other = await t.signIn(ana);
    const socket = await t.connect(other);
    const [newest] = await sessionsOf(ana, admin.token);
    expect((await t.call(endSession, { sessionId: newest?.id ?? '' }, admin.token)).status).toBe(200);
    expect(await socket.disconnected).toBe('io server disconnect');
    expect([await isValid(other), await isValid(ana.token)]).toEqual([false, true]);
  });

  test('[AUTH16] members end their own; those of others are not found', async () => {
    const other = await t.signIn(ana);
    const [theirs] = await sessionsOf(admin, admin.token);
    const refused = await t.call(endSession, { sessionId: theirs?.id ?? '' }, ana.token);
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
    const own = (await sessionsOf(ana, ana.token)).find(({ isOwn }) => !isOwn);
    expect((await t.call(endSession, { sessionId: own?.id ?? '' }, ana.token)).status).toBe(200);
    expect([await isValid(other), await isValid(admin.token)]).toEqual([false, true]);
  });

  test.each([
    ['nobody', undefined, 401, 'unauthenticated'],
    ['a token that is none', 'wrong', 401, 'unauthenticated'],
  ])('%s is refused', async (_who, token, status, code) => {
    for (const [call, body] of [
      [getUserSessions, { userId: ana.id }],
      [endSession, { sessionId: randomUUID() }],
      [getPasswordProof, {}],
    ] as const) {
      const answer = await t.post(call.path, body, token);
      expect([answer.status, answer.body.code]).toEqual([status, code]);
    }
  });

  test('malformed, too large and unknown are told apart', async () => {
    for (const [path, body, status, code] of [
      [getUserSessions.path, { userId: 'no id' }, 400, 'malformed'],
      [getUserSessions.path, { userId: randomUUID() }, 404, 'not_found'],
      [getUserSessions.path, { userId: HUGE }, 413, 'too_large'],
      [endSession.path, {}, 400, 'malformed'],
      [endSession.path, { sessionId: 7 }, 400, 'malformed'],
      [endSession.path, { sessionId: randomUUID() }, 404, 'not_found'],
      [endSession.path, { sessionId: HUGE }, 413, 'too_large'],
      [getPasswordProof.path, { more: HUGE }, 413, 'too_large'],
      [verifyPassword.path, { password: PASSWORD, keep: 'yes' }, 400, 'malformed'],
    ] as const) {
      const answer = await t.post(path, body, admin.token);
      expect([path, answer.status, answer.body.code]).toEqual([path, status, code]);
    }
  });

  test('of somebody who was deleted there are none', async () => {
    await t.call(deleteUser, { UserId: ana.id }, admin.token);
    expect((await t.call(getUserSessions, { userId: ana.id }, admin.token)).status).toBe(404);
  });
});

describe('[AUTH14] not asked again for five minutes', () => {
  const isKept = async (token: string) => (await t.call(getPasswordProof, {}, token)).body.isKept;
  const prove = (token: string, keep?: boolean) =>
    t.call(verifyPassword, { password: PASSWORD, ...(keep === undefined ? {} : { keep }) }, token);

  test('only when it was asked for, and for five minutes', async () => {
    expect(await isKept(admin.token)).toBe(false);
    await prove(admin.token);
    expect(await isKept(admin.token)).toBe(false);
    await prove(admin.token, true);
    expect(await isKept(admin.token)).toBe(true);
    time = new Date(time.getTime() + PROOF_MS - 1);
    expect(await isKept(admin.token)).toBe(true);
    time = new Date(time.getTime() + 1);
    expect(await isKept(admin.token)).toBe(false);
  });

  test('a proof without the wish takes it back', async () => {
    await prove(admin.token, true);
    await prove(admin.token);
    expect(await isKept(admin.token)).toBe(false);
  });

  test('it is of this session alone, and ends with it', async () => {
    await prove(admin.token, true);
    expect(await isKept(await t.signIn(admin))).toBe(false);
    const own = (await sessionsOf(admin, admin.token)).find((one) => one.isOwn);
    await t.call(endSession, { sessionId: own?.id ?? '' }, admin.token);
    expect((await t.call(getPasswordProof, {}, admin.token)).status).toBe(401);
  });

  test('a wrong password keeps nothing', async () => {
    await t.call(verifyPassword, { password: 'no', keep: true }, admin.token);
    expect(await isKept(admin.token)).toBe(false);
  });
});
