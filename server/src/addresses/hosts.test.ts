import { expect, test } from 'vitest';
import { isOwnHost } from './hosts.ts';

const asked = (host: string | undefined, publicUrl: string | null = null) =>
  isOwnHost({ headers: host === undefined ? {} : { host } }, publicUrl, 'Relais.example.org');

test.each([
  'localhost',
  'LOCALHOST:3000',
  'pressel.localhost',
  '127.0.0.1:3000',
  '127.9.9.9',
  '[::1]:3000',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.20:3000',
  '169.254.1.1',
  '100.100.1.1',
  '[fe80::1]',
  '[fd12::1]:3000',
  'relais',
  'relais.local:3000',
  'relais.example.org',
  'relais.example.org.:3000',
])('without PUBLIC_URL %s is believed', (host) => expect(asked(host)).toBe(true));

test.each([
  'evil.example',
  'evil.example:3000',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'relais.evil.example',
  '203.0.113.7',
  '172.32.0.1',
  '[2001:db8::1]',
  'evil.example/localhost',
  'localhost@evil.example',
  'evil.example#localhost',
  '',
  ' ',
  '[',
])('without PUBLIC_URL %j is not', (host) => expect(asked(host)).toBe(false));

test('requests without Host are accepted, and with PUBLIC_URL any Host is', () => {
  expect([asked(undefined), asked('evil.example', 'https://radio.example.org')]).toEqual([true, true]);
});
