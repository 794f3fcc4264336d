import { createSocket } from 'node:dgram';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { isLoopbackName, machineNames } from '#src/addresses/hosts.ts';

/** The names and addresses by which other devices may reach this machine. */
export interface Machine {
  /** Names of this machine, best first. */
  names: string[];
  /** Addresses at which the server listens, best first; empty while it has no network. */
  addresses: string[];
}

/** Describes this machine for a server that listens on `host`. */
export async function describeMachine(host: string): Promise<Machine> {
  return { names: machineNames(), addresses: inOrder(listeningAddresses(host), await outgoingAddress()) };
}

/** An address or name as written in a URL. */
export const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

function listeningAddresses(host: string): string[] {
  if (isLoopbackName(host)) return [];
  if (isIP(host) !== 0 && host !== '0.0.0.0' && host !== '::') return [host];
  const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  return own
    .filter(({ internal, address, scopeid }) => !internal && !isLinkLocal(address, scopeid))
    .map(({ address }) => address)
    .filter((address) => host !== '0.0.0.0' || isIPv4(address));
}

/** An IPv6 address of a single network interface: URLs can't name the interface (browsers never adopted RFC 6874). */
const isLinkLocal = (address: string, scopeid: number | undefined): boolean => isIPv6(address) && (scopeid ?? 0) !== 0;

/** Sorts the address that leads to other networks first, then those that are easier to type. */
function inOrder(addresses: readonly string[], outgoing: string | null): string[] {
  const rank = (address: string) => (address === outgoing ? 0 : isIPv4(address) ? 1 : 2);
  return [...new Set(addresses)].toSorted((a, b) => rank(a) - rank(b));
}

/**
 * The address that this machine uses towards other networks; null: there is no route. It distinguishes the network card
 * from the bridges of containers. Nothing is sent: connecting a UDP socket only chooses the route.
 */
function outgoingAddress(): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = createSocket('udp4');
  const end = (address: string | null) => {
    socket.close();
    resolve(address);
  };
  socket.once('error', () => end(null));
  // An address for documentation (RFC 5737), which belongs to nobody.
  socket.connect(9, '192.0.2.1', () => end(socket.address().address));
  return promise;
}
