import { describe, expect, test } from 'vitest';
import { keepSetupCode, loadSecrets } from '#src/accounts/secrets.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { chooseSetupCode, firstAccountHint, isLocalRequest, isSetupCode } from './setup-code.ts';

const config = { setupCode: null, host: '127.0.0.1', publicUrl: null };

describe('the setup code', () => {
  test.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1'])(
    'AUTH11: none when listening on loopback only: %s',
    async (host) => expect(await chooseSetupCode({ ...config, host })).toBeNull(),
  );

  test.each([
    ['0.0.0.0', null],
    ['::', null],
    ['192.168.1.5', null],
    ['radio.example.org', null],
    ['127.evil.example', null],
    ['127.0.0.1', 'https://radio.example.org'],
  ])('AUTH10: one is made where others reach it: HOST %s, PUBLIC_URL %s', async (host, publicUrl) => {
    const code = await chooseSetupCode({ ...config, host, publicUrl });
    expect(code?.isGenerated).toBe(true);
    expect(code?.text).toMatch(/^(?:[A-HJKMNP-Z2-9]{4}-){2}[A-HJKMNP-Z2-9]{4}$/u);
    expect((await chooseSetupCode({ ...config, host, publicUrl }))?.text).not.toBe(code?.text);
    expect(firstAccountHint(code)).toContain(code?.text);
  });

  test('AUTH10: one that was set is asked for everywhere, and printed nowhere', async () => {
    const code = await chooseSetupCode({ ...config, setupCode: 'open sesame' });
    expect(code).toEqual({ text: 'open sesame', isGenerated: false });
    expect(firstAccountHint(code)).not.toContain('sesame');
  });

  test('[PROC34] several processes ask for the code of the first, which each of them prints', async () => {
    const database = await openTestDatabase();
    const choose = () => chooseSetupCode({ ...config, host: '0.0.0.0' }, (text) => keepSetupCode(database.db, text));
    const codes = await Promise.all([choose(), choose(), choose()]);
    expect(codes[0]?.isGenerated).toBe(true);
    expect(new Set(codes.map((code) => code?.text)).size).toBe(1);
    expect((await choose())?.text, 'also after a restart').toBe(codes[0]?.text);
    await loadSecrets(database.db);
    expect((await choose())?.text, 'beside the keys').toBe(codes[0]?.text);
    await database.close();
  });

  test('AUTH10: case, spaces and hyphens do not matter, everything else does', () => {
    const code = { text: 'PRKD-7M2X-QW9H', isGenerated: true };
    for (const same of ['PRKD-7M2X-QW9H', 'prkd7m2xqw9h', ' PRKD 7M2X QW9H '])
      expect(isSetupCode(code, same)).toBe(true);
    for (const other of ['', 'PRKD-7M2X-QW9', 'PRKD-7M2X-QW9HH', '-']) expect(isSetupCode(code, other)).toBe(false);
    expect(isSetupCode(null, '')).toBe(false);
  });
});

describe('AUTH11: a local request', () => {
  test.each(['127.0.0.1:3000', 'localhost:5173', 'localhost', 'LOCALHOST:1', '[::1]:3000', 'pressel.localhost:3000'])(
    'asks a loopback name: %s',
    (host) => expect(isLocalRequest({ host })).toBe(true),
  );

  test.each([
    'radio.example.org',
    '192.168.1.5:3000',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
    '',
    '%',
  ])('asks no other: %j', (host) => expect(isLocalRequest({ host })).toBe(false));

  test.each(['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'])(
    'carries no header of a proxy: %s',
    (name) => expect(isLocalRequest({ host: 'localhost:3000', [name]: '127.0.0.1' })).toBe(false),
  );
});
