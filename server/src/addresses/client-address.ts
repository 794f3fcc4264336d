import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import ipaddr from 'ipaddr.js';
import { isLoopbackName } from './hosts.ts';

/**
 * Whether `address` is a trusted proxy, so that the entry it added to X-Forwarded-For is used. `hop` 0 is the peer of
 * the connection, 1 the header's rightmost address, and so on. The same function is Fastify's `trustProxy`.
 */
export type TrustProxy = (address: string, hop: number) => boolean;

/** An unlisted proxy is trusted only on this machine. Anybody on a private network could pose as one. */
const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Whether a text is an IP address or a network such as `10.0.0.0/8`. */
export const isNetwork = (text: string): boolean =>
  text.includes('/') ? isIP(text.replace(/\/.*$/u, '')) !== 0 && ipaddr.isValidCIDR(text) : isIP(text) !== 0;

/**
 * With a list, exactly its proxies are trusted, at every hop. Without one, only the peer is, if it is on this machine:
 * with more hops a client on this machine could forge its address.
 */
export function createProxyTrust(isBehindProxy: boolean, proxies: readonly string[]): TrustProxy {
  if (proxies.length === 0 && !isBehindProxy) return () => false;
  const isListed = proxyAddr.compile((proxies.length === 0 ? LOOPBACK : proxies).flatMap(halves));
  return proxies.length === 0 ? (address, hop) => hop === 0 && isListed(address, hop) : isListed;
}

/** Whether requests come through a proxy that adds TLS: this server speaks plain http, and people use another address. */
export const isBehindProxy = ({ publicUrl, tls }: { publicUrl: string | null; tls: { kind: string } }): boolean =>
  publicUrl !== null && tls.kind === 'off';

/** Warns in a sentence that the server won't trust its proxy, as far as it can tell; null: no warning. */
export const proxyWarning = (config: {
  publicUrl: string | null;
  tls: { kind: string };
  host: string;
  trustedProxies: readonly string[];
}): string | null =>
  !isBehindProxy(config) || config.trustedProxies.length > 0 || isLoopbackName(config.host)
    ? null
    : 'Set TRUSTED_PROXIES to the address of your proxy: PUBLIC_URL is set and HOST is not loopback, and until then everybody who comes through a proxy on another machine or in another container counts as one address.';

/** Splits a network of all addresses, because the library accepts no prefix of 0. All of IPv6 has all of IPv4 in it. */
const halves = (network: string): string[] => {
  if (!/\/0+$/u.test(network)) return [network];
  const all = ['0.0.0.0/1', '128.0.0.0/1'];
  return network.includes(':') ? [...all, '::/1', '8000::/1'] : all;
};

/** An address as the activity log stores it: without the IPv6 form of an IPv4 one (RFC 4291 §2.5.5.2) and without a zone. */
export const loggedAddress = (text: string): string | null => {
  const address = text.replace(/%.*$/u, '');
  return isIP(address) === 0 ? null : ipaddr.process(address).toString();
};

/** The client's address, as in `request.ip`: the first untrusted one, from the peer leftwards through X-Forwarded-For. */
export const clientAddress = (
  request: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  trust: TrustProxy,
): string =>
  // The library reads nothing else of a request. A socket that was closed has no address.
  proxyAddr(request as IncomingMessage, (address, hop) => address !== undefined && trust(address, hop)) ?? '';
