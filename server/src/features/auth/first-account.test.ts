import { getServerInfo, signUpUser } from '@pressel/contract/auth';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildTestApp, PASSWORD, type TestApp } from '#test/build-test-app.ts';

const CODE = 'PRKD-7M2X-QW9H';
const account = (n = 0) => ({ firstName: 'Ana', lastName: 'Ruiz', email: `ana${n}@example.org`, password: PASSWORD });

describe('the first account where others reach the server', () => {
  let t: TestApp;
  beforeEach(async () => {
    t = await buildTestApp({ setupCode: { text: CODE, isGenerated: true } });
  });
  afterEach(() => t.close());

  const signUp = async (setupCode?: string, n = 0) => {
    const { status, body } = await t.post(signUpUser.path, { ...account(n), setupCode });
    return status === 200 ? (body.user as { role: string }).role : [status, body.code];
  };
  const needsCode = async () => (await t.call(getServerInfo, undefined)).body.needsSetupCode;
  const REFUSED = [403, 'wrong_setup_code'];

  test('AUTH10: takes the setup code, and whoever comes after does not', async () => {
    expect(await needsCode()).toBe(true);
    expect(await signUp()).toEqual(REFUSED);
    expect(await signUp('PRKD-7M2X-QW9X')).toEqual(REFUSED);
    expect(await signUp('prkd 7m2x qw9h')).toBe('admin');
    expect(await needsCode()).toBe(false);
    expect(await signUp(undefined, 1)).toBe('member');
  });

  test('AUTH10: of many at once the one with the code is administrator, and those before it are nobody', async () => {
    const codes = Array.from({ length: 8 }, (_, n) => (n === 4 ? CODE : 'a guess'));
    const outcomes = await Promise.all(codes.map((code, n) => signUp(code, n)));
    expect(outcomes[4]).toBe('admin');
    for (const other of outcomes.toSpliced(4, 1)) expect([REFUSED, 'member']).toContainEqual(other);
  });

  test('AUTH10: a server that was emptied asks again', async () => {
    await signUp(CODE);
    await t.database.db.execute(sql`delete from users`);
    expect(await needsCode()).toBe(true);
    expect(await signUp(undefined, 1)).toEqual(REFUSED);
  });

  test('AUTH10: guesses are limited, right ones cost nothing', async () => {
    for (let guess = 0; guess < 20; guess += 1) expect(await signUp('a guess')).toEqual(REFUSED);
    expect(await signUp(CODE)).toEqual([429, 'too_many']);
  });

  test('AUTH10: neither the code nor a guess reaches the log, a wrong one as an event does', async () => {
    await signUp('a-guess-of-mine');
    await signUp(CODE);
    const log = JSON.stringify(t.logLines);
    expect(log).toContain('wrong_setup_code');
    for (const secret of ['a-guess-of-mine', CODE]) expect(log).not.toContain(secret);
  });
});

describe('the first account of a server on loopback', () => {
  const attempt = async (t: TestApp, headers: Record<string, string>) => {
    const info = await t.app.inject({ method: 'GET', url: getServerInfo.path, headers });
    const reply = await t.app.inject({ method: 'POST', url: signUpUser.path, headers, payload: account() });
    return [getServerInfo.reply.parse(info.json()).needsSetupCode, reply.statusCode];
  };

  test('AUTH11: asks whoever is at the machine for nothing', async () => {
    const t = await buildTestApp();
    expect(await attempt(t, { host: '127.0.0.1:3000' })).toEqual([false, 200]);
    await t.close();
  });

  test('AUTH11: is nobody’s who comes through a proxy, from the network, or by a name that points here', async () => {
    const t = await buildTestApp();
    expect(await attempt(t, { host: '127.0.0.1:3000', 'x-forwarded-for': '203.0.113.7' })).toEqual([true, 403]);
    expect(await attempt(t, { host: '192.168.7.7:3000' })).toEqual([true, 403]);
    const rebound = { host: 'evil.example', origin: 'http://evil.example' };
    const reply = await t.app.inject({ method: 'POST', url: signUpUser.path, headers: rebound, payload: account() });
    expect([reply.statusCode, reply.json().code]).toEqual([403, 'wrong_host']);
    expect(await attempt(t, { host: 'localhost:3000' })).toEqual([false, 200]);
    await t.close();
  });
});
