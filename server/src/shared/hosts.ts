import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

/** Networks that no public name service answers for: RFC 1122, 1918, 3927, 4193, 4291, 6598. */
const OWN_NETWORKS = new BlockList();
for (const [address, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const) {
  OWN_NETWORKS.addSubnet(address, prefix);
}
OWN_NETWORKS.addAddress('::1', 'ipv6');
OWN_NETWORKS.addSubnet('fe80::', 10, 'ipv6');
OWN_NETWORKS.addSubnet('fc00::', 7, 'ipv6');

/**
 * Whether a request may use this server by the name in its Host header. Without `PUBLIC_URL` only loopback, private
 * addresses and what this machine calls itself: a page of another site whose name is pointed at this server (DNS
 * rebinding) has the origin that its Host says, and would be taken for ours. With `PUBLIC_URL` the origin decides.
 */
export function isOwnHost(
  { headers: { host } }: Pick<IncomingMessage, 'headers'>,
  publicUrl: string | null,
  machine: string = hostname(),
): boolean {
  // Browsers always send it.
  if (publicUrl !== null || host === undefined) return true;
  const name = nameOf(host);
  if (name === null) return false;
  if (isIP(name) !== 0) return isOwnAddress(name);
  const [label = ''] = machine.toLowerCase().split('.');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    [machine.toLowerCase(), label, `${label}.local`].includes(name)
  );
}

/** The name or address in a Host header, in lower case and without port and brackets; null when there is none. */
function nameOf(host: string): string | null {
  // Anything else would be read as part of an address: a path, a user.
  if (!/^[\w.:[\]-]+$/u.test(host) || !URL.canParse(`http://${host}`)) return null;
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$/gu, '').replace(/\.$/u, '');
}

function isOwnAddress(address: string): boolean {
  if (OWN_NETWORKS.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return true;
  return Object.values(networkInterfaces()).some((own) => own?.some((entry) => entry.address === address));
}
