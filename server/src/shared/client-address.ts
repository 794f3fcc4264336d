import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';
import { isLoopbackName } from './hosts.ts';

/**
 * Whether `address` is a trusted proxy, so that the entry it added to X-Forwarded-For is used. `hop` 0 is the peer of
 * the connection, 1 the header's rightmost address, and so on. The same function is Fastify's `trustProxy`.
 */
export type TrustProxy = (address: string, hop: number) => boolean;

/** An unlisted proxy is trusted only on this machine. Anybody on a private network could pose as one. */
const LOOPBACK = ['127.0.0.0/8', '::1'];

/** Whether a text is an IP address or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    rest.length === 0 && bits >= 0 && (prefix === undefined || (/^\d{1,3}$/u.test(prefix) && Number(prefix) <= bits))
  );
}

/**
 * With a list, exactly its proxies are trusted, at every hop. Without one, only the peer is, if it is on this machine:
 * with more hops a client on this machine could forge its address.
 */
export function createProxyTrust(isBehindProxy: boolean, proxies: readonly string[]): TrustProxy {
  if (proxies.length === 0 && !isBehindProxy) return () => false;
  const isListed = matcherOf(proxies.length === 0 ? LOOPBACK : proxies);
  return proxies.length === 0 ? (address, hop) => hop === 0 && isListed(address) : isListed;
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

function matcherOf(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    list.addSubnet(address, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family);
  }
  return (address) => (isIPv4(address) ? list.check(address) : isIPv6(address) && list.check(address, 'ipv6'));
}

/** An address as the activity log stores it: without the IPv6 form of an IPv4 one (RFC 4291 §2.5.5.2) and without a zone. */
export const loggedAddress = (text: string): string | null => {
  const address = text.replace(/^::ffff:(?=\d{1,3}(?:\.\d{1,3}){3}$)/iu, '').replace(/%.*$/u, '');
  return isIP(address) === 0 ? null : address;
};

/** The client's address, as in `request.ip`: the first untrusted one, from the peer leftwards through X-Forwarded-For. */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  trust: TrustProxy,
): string {
  const direct = socket.remoteAddress ?? '';
  const header = [headers['x-forwarded-for'] ?? []].flat().flatMap((line) => line.split(','));
  const forwarded = header.map((address) => address.trim()).filter((address) => address !== '');
  const path = [direct, ...forwarded.toReversed()];
  return path.find((address, hop) => !trust(address, hop)) ?? path.at(-1) ?? direct;
}
