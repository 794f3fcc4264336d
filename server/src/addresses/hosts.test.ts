import { describe, expect, test } from 'vitest';
import { isOwnHost, isOwnOrigin } from './hosts.ts';

const request = (origin: string | undefined, host: string | undefined = 'radio.example.org') => ({
  socket: {},
  headers: { ...(origin === undefined ? {} : { origin }), ...(host === undefined ? {} : { host }) },
});

describe('whether a page may talk to this server', () => {
  test('requests without an Origin header are allowed', () => {
    expect(isOwnOrigin(request(undefined), null)).toBe(true);
    expect(isOwnOrigin(request(undefined), 'https://radio.example.org')).toBe(true);
  });

  test.each([
    ['http://radio.example.org', 'radio.example.org', true],
    ['https://radio.example.org', 'radio.example.org', true],
    ['http://radio.example.org:3000', 'radio.example.org:3000', true],
    ['http://[::1]:3000', '[::1]:3000', true],
    ['http://radio.example.org:3000', 'radio.example.org', false],
    ['http://radio.example.org', 'radio.example.org:3000', false],
    ['https://radio.example.org.evil.example', 'radio.example.org', false],
    ['https://evil.example/radio.example.org', 'radio.example.org', false],
    ['https://evil.example', 'radio.example.org', false],
    ['null', 'radio.example.org', false],
    ['', 'radio.example.org', false],
    ['radio.example.org', 'radio.example.org', false],
    ['file://', 'radio.example.org', false],
    ['http://x', undefined, false],
  ])('without PUBLIC_URL %j at the host %j: %j', (origin, host, may) => {
    const { headers, socket } = request(origin);
    const asked = { socket, headers: host === undefined ? headers : { ...headers, host } };
    expect(isOwnOrigin(asked, null)).toBe(may);
  });

  test.each([
    ['https://radio.example.org', true],
    ['http://radio.example.org', false],
    ['https://radio.example.org:444', false],
    ['https://RADIO.example.org', false],
    ['http://127.0.0.1:3000', false],
    ['null', false],
    ['', false],
  ])('with PUBLIC_URL %j: %j, whatever host was asked', (origin, may) => {
    for (const host of ['127.0.0.1:3000', 'radio.example.org', new URL('http://x').host]) {
      expect(isOwnOrigin(request(origin, host), 'https://radio.example.org')).toBe(may);
    }
  });
});

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
