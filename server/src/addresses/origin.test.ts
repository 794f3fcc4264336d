import { describe, expect, test } from 'vitest';
import { isOwnOrigin } from './origin.ts';

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
