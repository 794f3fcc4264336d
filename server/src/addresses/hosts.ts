import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';

/**
 * Whether the page that sent the request may use this server: its origin must be `PUBLIC_URL`, or the request's Host
 * when that is not set. Requests without Origin header are allowed: pages of other sites send one (RFC 6454 §7.3).
 * Without TLS both schemes are allowed, because a proxy may add it.
 */
export function isOwnOrigin(
  request: Pick<IncomingMessage, 'headers'> & { socket: object },
  publicUrl: string | null,
): boolean {
  const { origin, host } = request.headers;
  if (origin === undefined) return true;
  if (publicUrl !== null) return origin === publicUrl;
  if (host === undefined) return false;
  // Only Node's TLS connections have this property.
  const isTls = 'encrypted' in request.socket;
  return origin === `https://${host}` || (origin === `http://${host}` && !isTls);
}

/** Loopback, private and link-local networks (RFC 1122, 1918, 3927, 4193, 4291, 6598), as the library names them. */
const OWN_NETWORKS = ['loopback', 'private', 'linkLocal', 'carrierGradeNat', 'uniqueLocal'];

/**
 * Whether the name in a request's Host header is accepted. Without `PUBLIC_URL` only loopback, private addresses and this
 * machine's own names are. Otherwise a page whose name resolves to this server (DNS rebinding) would pass the origin
 * check, because its origin equals its Host. With `PUBLIC_URL` the origin check suffices.
 */
export function isOwnHost(
  { headers: { host } }: Pick<IncomingMessage, 'headers'>,
  publicUrl: string | null,
  machine: string = hostname(),
): boolean {
  // Browsers always send a Host header.
  if (publicUrl !== null || host === undefined) return true;
  const name = nameOf(host);
  if (name === null) return false;
  if (isIP(name) !== 0) return isOwnAddress(name);
  return name === 'localhost' || name.endsWith('.localhost') || machineNames(machine).includes(name);
}

/**
 * The names of this machine in its network: its host name, and its name in multicast DNS (RFC 6762). They are written as in URLs and
 * certificates: `büro` is `xn--bro-hoa`. Empty if none can stand in a URL.
 */
export function machineNames(machine: string = hostname()): string[] {
  const name = domainToASCII(machine).replace(/\.$/u, '');
  if (!/^[\w-]+(?:\.[\w-]+)*$/u.test(name) || isIP(name) !== 0) return [];
  const [label = ''] = name.split('.');
  return [...new Set([`${label}.local`, name, label])];
}

/** Whether a name or address means this machine alone. */
export const isLoopbackName = (host: string): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/iu.test(host);

/** Whether a request lacks a required Host header (RFC 9112 §3.2). */
export const isHostMissing = ({ headers, httpVersion }: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean =>
  headers.host === undefined && httpVersion === '1.1';

/** The name or address in a Host header, in lower case and without port and brackets; null when there is none. */
function nameOf(host: string): string | null {
  // Refuse characters that the URL parser would read as path or user.
  if (!/^[\w.:[\]-]+$/u.test(host) || !URL.canParse(`http://${host}`)) return null;
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$/gu, '').replace(/\.$/u, '');
}

function isOwnAddress(address: string): boolean {
  if (OWN_NETWORKS.includes(ipaddr.process(address).range())) return true;
  return Object.values(networkInterfaces()).some((own) => own?.some((entry) => entry.address === address));
}
