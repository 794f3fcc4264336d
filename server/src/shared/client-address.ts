import type { IncomingMessage } from 'node:http';
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Private networks, in which proxies are trusted: Fastify's loopback, linklocal and uniquelocal. */
const own = new BlockList();
own.addSubnet('127.0.0.0', 8);
own.addSubnet('169.254.0.0', 16);
own.addSubnet('10.0.0.0', 8);
own.addSubnet('172.16.0.0', 12);
own.addSubnet('192.168.0.0', 16);
own.addAddress('::1', 'ipv6');
own.addSubnet('fe80::', 10, 'ipv6');
own.addSubnet('fc00::', 7, 'ipv6');

const isOwn = (address: string): boolean =>
  isIPv4(address) ? own.check(address) : isIPv6(address) && own.check(address, 'ipv6');

/**
 * The client's address. Behind proxies it is the rightmost address of X-Forwarded-For outside the private networks,
 * as Fastify's `request.ip` is for calls: entries to the left of it can be forged by the client.
 */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers'> & { socket: { remoteAddress?: string | undefined } },
  isBehindProxy: boolean,
): string {
  const direct = socket.remoteAddress ?? '';
  if (!isBehindProxy) return direct;
  const told = [headers['x-forwarded-for'] ?? []].flat().flatMap((line) => line.split(','));
  const way = [...told.map((address) => address.trim()).filter((address) => address !== ''), direct];
  return way.findLast((address, index) => index === 0 || !isOwn(address)) ?? direct;
}
