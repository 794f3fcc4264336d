import { isValidToken, logIn, verifyPassword } from '@pressel/contract/auth';
import { REMEMBERED_SESSION_MAX_MS, REMEMBERED_SESSION_MS } from '@pressel/contract/limits';
import { getAllUsers, updatePasswordUser } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alone } from '#test/alone.ts';
import { buildTestApp, PASSWORD, type Person, type TestApp } from '#test/build-test-app.ts';
import { prove } from '#test/proof.ts';

const HTTPS = 'https://radio.example.org';
const HOME = '203.0.113.7';

describe('limits of signing in', () => {
  let t: TestApp;
  let ana: Person;
  let bo: Person;
  let steady: number;
  beforeEach(async () => {
    steady = 0;
    t = await buildTestApp({ config: { publicUrl: HTTPS }, steadyNow: () => steady });
    ana = await t.signUp('Ana');
    bo = await t.signUp('Bo');
  });
  afterEach(() => t.close());

  /** One attempt through a proxy. @returns its status, and the cookie that the browser keeps */
  const attempt = async (email: string, password: string, from = HOME, cookie?: string) => {
    const response = await t.app.inject({
      method: 'POST',
      url: logIn.path,
      headers: { 'x-forwarded-for': from, ...(cookie === undefined ? {} : { cookie }) },
      payload: { user_email: email, user_password: password },
    });
    const [kept] = [response.headers['set-cookie']].flat();
    return { status: response.statusCode, cookie: kept?.split(';')[0] };
  };
  const statusOf = async (...args: Parameters<typeof attempt>) => (await attempt(...args)).status;
  const guess = (email: string, count: number, from: (n: number) => string = () => HOME) =>
    Promise.all(Array.from({ length: count }, (_, n) => statusOf(email, 'guess', from(n))));

  test('AUTH6: who signed in on this device before gets in while strangers use up the account’s attempts', async () => {
    const { cookie } = await attempt(ana.email, PASSWORD);
    const elsewhere = await guess(ana.email, 101, (n) => `198.51.100.${n}`);
    expect(elsewhere.toSorted()).toEqual([...Array(100).fill(401), 429]);
    expect(await statusOf(ana.email, PASSWORD), 'a new device').toBe(429);
    expect(await statusOf(ana.email, PASSWORD, HOME, cookie), 'the known one').toBe(200);
  });

  test('AUTH6: and while a neighbour behind the same router uses up the address’s', async () => {
    const { cookie } = await attempt(ana.email, PASSWORD);
    for (let n = 0; n < 10; n += 1) await guess(`nobody${n}@example.org`, 10);
    expect(await statusOf(bo.email, PASSWORD), 'a new device').toBe(429);
    expect(await statusOf(ana.email, PASSWORD, HOME, cookie), 'the known one').toBe(200);
    expect(await statusOf(bo.email, PASSWORD, HOME, cookie), 'known, but not for this account').toBe(429);
  });

  test('AUTH6: a known device has ten attempts of its own, wherever it is', async () => {
    const { cookie } = await attempt(ana.email, PASSWORD);
    const tries = [];
    for (let n = 0; n < 11; n += 1) tries.push(await statusOf(ana.email, 'guess', `198.51.100.${n}`, cookie));
    expect(tries).toEqual([...Array(10).fill(401), 429]);
    expect(await statusOf(ana.email, PASSWORD, HOME, cookie)).toBe(429);
    expect(await statusOf(ana.email, PASSWORD), 'others are not shut out by it').toBe(200);
  });

  test('AUTH6: signing in over and over brings no new attempts, and right ones cost none', async () => {
    let { cookie } = await attempt(ana.email, PASSWORD);
    for (let n = 0; n < 12; n += 1) ({ cookie } = await attempt(ana.email, PASSWORD, HOME, cookie));
    for (let n = 0; n < 10; n += 1) await attempt(ana.email, 'guess', HOME, cookie);
    expect(await statusOf(ana.email, PASSWORD, HOME, cookie)).toBe(429);
  });

  test('AUTH6: after a new password every device counts as new', async () => {
    const { cookie } = await attempt(ana.email, PASSWORD);
    await prove(t, [ana]);
    await t.call(updatePasswordUser, { id: ana.id, password: 'another' }, ana.token);
    for (let n = 0; n < 10; n += 1) await attempt(ana.email, PASSWORD, HOME, cookie);
    expect(await statusOf(ana.email, 'another', HOME, cookie), 'by the attempts of the address').toBe(429);
    expect(await statusOf(ana.email, 'another', '198.51.100.1', cookie)).toBe(200);
  });

  test('AUTH6: a refused attempt leaves no cookie', async () => {
    expect((await attempt(ana.email, 'guess')).cookie).toBeUndefined();
    expect((await attempt('nobody@example.org', PASSWORD)).cookie).toBeUndefined();
  });

  test('AUTH7: a network of one subscriber is one address', async () => {
    const here = (n: number) => `2001:db8:1:${(0x200 + n).toString(16)}::1`;
    const tries = await guess(ana.email, 11, here);
    expect(tries.toSorted()).toEqual([...Array(10).fill(401), 429]);
    expect(await statusOf(ana.email, PASSWORD, '2001:db8:1:2ff::7')).toBe(429);
    expect(await statusOf(ana.email, PASSWORD, '2001:db8:1:300::7')).toBe(200);
  });

  test('AUTH8: nobody gets new attempts by telling another address, outside or on a network of our own', async () => {
    for (const own of [HOME, '192.168.1.20']) {
      const tries = await guess(ana.email, 11, (n) => `198.51.100.${n}, ${own}`);
      expect([own, tries.toSorted()]).toEqual([own, [...Array(10).fill(401), 429]]);
    }
  });

  test('AUTH9: what was refused is in the log, by ids and a mark of the address, and no login or address is', async () => {
    await attempt(ana.email, 'guess');
    await attempt('geheim@example.org', 'guess');
    await attempt(ana.email, 'guess', '198.51.100.9');
    await guess(bo.email, 11);
    await t.call(getAllUsers, {}, bo.token);
    await t.call(verifyPassword, { password: 'guess' }, bo.token);
    const foreign = {
      method: 'GET' as const,
      url: '/user/api/serverInfo',
      headers: { origin: 'https://evil.example' },
    };
    await t.app.inject(foreign);
    const lines = t.logLines.map(({ msg, userId, code, call, address }) => ({ msg, userId, code, call, address }));
    const failed = lines.filter(({ msg }) => msg === 'sign_in_failed');
    expect(failed.slice(0, 3).map(({ userId }) => userId)).toEqual([ana.id, null, ana.id]);
    const [first, second, third] = failed;
    expect(first?.address).toMatch(/^[0-9a-f]{12}$/u);
    expect([second?.address === first?.address, third?.address === first?.address]).toEqual([true, false]);
    expect(lines).toContainEqual({
      msg: 'call_refused',
      userId: null,
      code: 'too_many',
      call: logIn.path,
      address: first?.address,
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'call_refused', userId: bo.id, code: 'forbidden', call: getAllUsers.path }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'proof_failed', userId: bo.id }));
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'call_refused', code: 'wrong_origin' }));
    const log = JSON.stringify(t.logLines);
    for (const secret of [ana.email, 'geheim', 'guess', HOME, '198.51.100', ana.token])
      expect(log).not.toContain(secret);
  });

  alone('each process logs by itself').test(
    'AUTH9: a flood of refusals does not flood the log, and how many were left out is told',
    async () => {
      await Promise.all(Array.from({ length: 400 }, () => t.call(getAllUsers, {}, bo.token)));
      const noted = () => t.logLines.filter(({ msg }) => msg === 'call_refused');
      expect(noted()).toHaveLength(200);
      steady += 1_000;
      await t.call(getAllUsers, {}, bo.token);
      expect(noted()).toHaveLength(201);
      expect(noted().at(-1)).toMatchObject({ unwritten: 200 });
    },
  );
});

describe('remembered sessions', () => {
  test('AUTH5: used every day, they end 90 days after sign-in', async () => {
    let time = new Date('2026-11-20T10:00:00Z');
    const start = time.getTime();
    const t = await buildTestApp({ now: () => time });
    const ana = await t.signUp('Ana');
    const token = await t.signIn(ana, true);
    const isSignedIn = async () => (await t.call(isValidToken, { token })).body.success;
    for (let days = 29; days < 90; days += 29) {
      time = new Date(start + days * 86_400_000);
      expect([days, await isSignedIn()]).toEqual([days, true]);
    }
    time = new Date(start + REMEMBERED_SESSION_MAX_MS - 1);
    expect(await isSignedIn()).toBe(true);
    time = new Date(start + REMEMBERED_SESSION_MAX_MS);
    expect(await isSignedIn()).toBe(false);
    expect(REMEMBERED_SESSION_MAX_MS).toBeGreaterThan(REMEMBERED_SESSION_MS);
    await t.close();
  });
});
