import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createKnownDevices, DEVICE_MS } from './known-devices.ts';

const account = (n: number) => ({ id: `account-${n}`, passwordHash: `hash-${n}` });
const ana = account(0);

const setUp = (isSecure = false) => {
  let now = Date.parse('2026-11-20T10:00:00Z');
  const key = randomBytes(32);
  const devices = createKnownDevices({ key, now: () => new Date(now), isSecure });
  /** The part of a Set-Cookie that the browser sends back. */
  const sentBack = (cookie: string) => cookie.split(';')[0] ?? '';
  const idIn = (cookies: string | undefined, of = ana) => devices.idFor(devices.read(cookies), of);
  return { devices, key, sentBack, idIn, pass: (ms: number) => (now += ms) };
};

describe('a device that somebody signed in on', () => {
  test('AUTH6: is known for that account by its cookie, and by the same id ever after', () => {
    const { devices, sentBack, idIn } = setUp();
    const cookie = sentBack(devices.remember([], ana));
    const id = idIn(`theme=dark; ${cookie}; x=y`);
    expect(id).toHaveLength(22);
    expect(idIn(sentBack(devices.remember(devices.read(cookie), ana)))).toBe(id);
    expect(idIn(cookie, account(1))).toBeNull();
    expect(idIn(undefined)).toBeNull();
  });

  test('AUTH6: is a stranger after a new password, and after half a year', () => {
    const { devices, sentBack, idIn, pass } = setUp();
    const cookie = sentBack(devices.remember([], ana));
    expect(idIn(cookie, { ...ana, passwordHash: 'another' })).toBeNull();
    pass(DEVICE_MS - 1);
    expect(idIn(cookie)).not.toBeNull();
    pass(1);
    expect(idIn(cookie)).toBeNull();
  });

  test('AUTH6: nobody makes or changes such a cookie but who has the key', () => {
    const { devices, key, sentBack, idIn } = setUp();
    const cookie = sentBack(devices.remember([], ana));
    const [name = '', value = ''] = cookie.split('=');
    const fields = value.split('.');
    for (let index = 0; index < fields.length; index += 1) {
      const forged = fields.with(index, index === 2 ? String(Number(fields[2]) + 1) : `${fields[index]}x`);
      expect(idIn(`${name}=${forged.join('.')}`)).toBeNull();
    }
    const others = createKnownDevices({ key: randomBytes(32), now: () => new Date(), isSecure: false });
    expect(idIn(sentBack(others.remember([], ana)))).toBeNull();
    const same = createKnownDevices({ key, now: () => new Date('2026-11-20T10:00:00Z'), isSecure: false });
    expect(same.idFor(same.read(cookie), ana), 'after a restart').not.toBeNull();
  });

  test.each(['', '~~~', '....', 'a.b.c.d.e', '~'.repeat(10_000), '%00', 'é', '=', '.'.repeat(10_000)])(
    'the cookie %j shows nothing',
    (value) => expect(setUp().devices.read(`pressel_device=${value}`)).toEqual([]),
  );

  test('AUTH6: is known for the eight accounts signed in to last', () => {
    const { devices, sentBack, idIn } = setUp();
    let cookie = '';
    for (let n = 0; n < 9; n += 1) cookie = sentBack(devices.remember(devices.read(cookie), account(n)));
    expect(idIn(cookie, account(0))).toBeNull();
    for (let n = 1; n < 9; n += 1) expect(idIn(cookie, account(n))).not.toBeNull();
    expect(cookie.length).toBeLessThan(2_000);
  });

  test('AUTH6: no script reads the cookie, no other site sends it, and by https it stays there', () => {
    const { devices, sentBack } = setUp();
    const attributes = '; Path=/user/api/login; Max-Age=15552000; HttpOnly; SameSite=Strict';
    const cookie = devices.remember([], ana);
    expect(cookie.slice(sentBack(cookie).length)).toBe(attributes);
    const secure = setUp(true).devices.remember([], ana);
    expect(secure).toMatch(/^__Secure-pressel_device=/u);
    expect(secure.slice(sentBack(secure).length)).toBe(`${attributes}; Secure`);
  });
});
