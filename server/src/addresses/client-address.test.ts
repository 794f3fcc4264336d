import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { clientAddress, createProxyTrust, isNetwork, proxyWarning } from './client-address.ts';

const FROM = ['203.0.113.7', '192.0.2.1', '10.1.2.3', '::1', '::ffff:127.0.0.1', '2001:db8::7', 'fd00::1'];
const TOLD = [
  undefined,
  '198.51.100.1',
  '198.51.100.1, 198.51.100.2',
  '198.51.100.1, 10.0.0.1',
  '198.51.100.1,172.20.0.1 , 192.168.1.1',
  '10.0.0.7, 10.0.0.8',
  '2001:db8::1, fe80::1',
  'nonsense',
  'nonsense, 10.0.0.1',
  ',, ,',
  '',
];
const LISTS = [[], ['10.0.0.0/8', '::1'], ['203.0.113.7']];

test('sockets and calls are counted under the same address, whatever headers claim', async () => {
  for (const isBehindProxy of [true, false]) {
    for (const proxies of LISTS) {
      const trust = createProxyTrust(isBehindProxy, proxies);
      const app = Fastify({ trustProxy: trust });
      app.get('/', (request) => ({ calls: request.ip, sockets: clientAddress(request.raw, trust) }));
      for (const remoteAddress of FROM) {
        for (const told of TOLD) {
          const headers = told === undefined ? {} : { 'x-forwarded-for': told };
          const { calls, sockets } = (await app.inject({ url: '/', remoteAddress, headers })).json();
          expect([proxies, remoteAddress, told, sockets]).toEqual([proxies, remoteAddress, told, calls]);
        }
      }
      await app.close();
    }
  }
});

describe('behind a proxy the last address that is no proxy of ours counts (AUTH8)', () => {
  const seen = (remoteAddress: string, told: string, isBehindProxy = true, proxies: readonly string[] = []) =>
    clientAddress(
      { headers: { 'x-forwarded-for': told }, socket: { remoteAddress } },
      createProxyTrust(isBehindProxy, proxies),
    );

  test.each([
    ['what a client claims stands before what the proxy saw', '198.51.100.66, 203.0.113.7', '203.0.113.7'],
    ['however much it claims', '10.0.0.1, 127.0.0.1, 198.51.100.66, 203.0.113.7', '203.0.113.7'],
    ['a client on a network of our own can’t claim either', '198.51.100.66, 192.168.1.20', '192.168.1.20'],
    ['not even to be several proxies', '198.51.100.66, 10.0.0.9, 192.168.1.20', '192.168.1.20'],
    ['a proxy that tells nothing is all there is', '', '127.0.0.1'],
  ])('%s', (_what, told, client) => expect(seen('127.0.0.1', told)).toBe(client));

  test('without a list a peer on another machine is not trusted as a proxy, on a private network neither', () => {
    for (const peer of ['203.0.113.7', '10.1.2.3', '172.17.0.1', '192.168.1.1', '169.254.1.1', 'fd00::1', 'fe80::1'])
      expect(seen(peer, '198.51.100.66')).toBe(peer);
  });

  test.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])(
    'without a list one on this machine is: %s',
    (peer) => {
      expect(seen(peer, '198.51.100.66, 203.0.113.7')).toBe('203.0.113.7');
    },
  );

  test('without PUBLIC_URL and a list no header is trusted', () => {
    expect(seen('127.0.0.1', '198.51.100.66', false)).toBe('127.0.0.1');
  });

  test('several proxies in a row are trusted when listed, and no others', () => {
    const proxies = ['127.0.0.1', '10.0.0.0/8', '2001:db8:1::/48'];
    expect(seen('127.0.0.1', '198.51.100.66, 203.0.113.7, 2001:db8:1::5, 10.9.9.9', true, proxies)).toBe('203.0.113.7');
    expect(seen('127.0.0.1', '198.51.100.66, 192.168.1.20', false, proxies)).toBe('192.168.1.20');
    expect(seen('192.168.1.1', '198.51.100.66', true, proxies)).toBe('192.168.1.1');
  });
});

test.each([
  ['10.0.0.1', true],
  ['10.0.0.0/8', true],
  ['::1', true],
  ['2001:db8::/48', true],
  ['10.0.0.0/33', false],
  ['::/129', false],
  ['10.0.0/8', false],
  ['10.0.0.0/8/8', false],
  ['10.0.0.0/', false],
  ['10.0.0.0/-1', false],
  ['localhost', false],
  ['', false],
])('%j is an address or a network: %j', (text, is) => expect(isNetwork(text)).toBe(is));

describe('AUTH8: the start says that the proxy may not be believed', () => {
  const said = (publicUrl: string | null, host: string, trustedProxies: string[] = [], kind = 'off') =>
    proxyWarning({ publicUrl, host, trustedProxies, tls: { kind } });

  test.each(['0.0.0.0', '::', '192.168.1.5', 'pressel'])(
    'where others reach %s, in a sentence with what to set',
    (host) => {
      expect(said('https://radio.example.org', host)).toMatch(/^Set TRUSTED_PROXIES [^.]*\.$/u);
    },
  );

  test('not where a list says it, without a proxy, or where only this machine reaches it', () => {
    expect(said('https://radio.example.org', '0.0.0.0', ['10.0.0.2'])).toBeNull();
    expect(said(null, '0.0.0.0')).toBeNull();
    expect(said('https://radio.example.org', '0.0.0.0', [], 'files')).toBeNull();
    for (const host of ['127.0.0.1', '::1', 'localhost']) expect(said('https://radio.example.org', host)).toBeNull();
  });
});
