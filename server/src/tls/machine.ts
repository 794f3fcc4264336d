import { createSocket } from 'node:dgram';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { encodeQR } from 'qr';
import { isLoopbackName, machineNames } from '#src/addresses/hosts.ts';
import type { Config } from '#src/config/config.ts';

/** The addresses at which people find a server. */
export interface Contact {
  /** The address to show first. */
  origin: string;
  /** Further addresses of this machine. */
  others: string[];
  /** The address that another device can use; null: only this machine can reach the server, or its name is unknown. */
  shared: string | null;
}

/** Derives the addresses of a server that listens on `port`. */
export function contactOf(
  { publicUrl, tls, host }: Pick<Config, 'publicUrl' | 'tls' | 'host'>,
  port: number,
  { names, addresses }: Machine,
): Contact {
  if (publicUrl !== null) return { origin: publicUrl, others: [], shared: publicUrl };
  const scheme = tls.kind === 'off' ? 'http' : 'https';
  const end = port === 443 && scheme === 'https' ? '' : `:${port}`;
  const at = (name: string) => `${scheme}://${inUrl(name)}${end}`;
  const [best, ...rest] = addresses;
  // Without TLS another device has no microphone, so it isn't invited.
  if (tls.kind === 'off' || best === undefined) return { origin: at(host), others: [], shared: null };
  const [name] = names;
  const others = [...(name === undefined ? [] : [name]), ...rest];
  return { origin: at(best), others: isLoopbackName(host) ? [] : others.map(at), shared: at(best) };
}

/** The lines that a server with a self-signed certificate prints below its first one. */
export function selfSignedNotes({ origin, others }: Contact, fingerprint: string): string {
  return [
    ...(others.length > 0 ? [`Also at ${others.join(', ')}`] : []),
    'Browsers warn about its certificate on the first visit, because this server made it itself. It is the right server if the',
    `browser shows this SHA-256 fingerprint: ${fingerprint}`,
    'A phone in the same network finds the page by this code, which also tells what to do about the warning:',
    '',
    qrForTerminal(plainAddressOf(origin), process.stdout.isTTY),
    '',
  ].join('\n');
}

/** Uses http, so that the page that prepares for the warning comes before it. It is on the https port: there is no other. */
function plainAddressOf(origin: string): string {
  const { hostname, port } = new URL(origin);
  return `http://${hostname}:${port === '' ? 443 : port}`;
}

/**
 * A QR code of characters of half a line's height, light on dark. The terminal is told these colours, because many readers
 * don't recognise a code with inverted colours.
 */
function qrForTerminal(text: string, isTerminal: boolean): string {
  const lines = encodeQR(text, 'ascii').trimEnd().split('\n');
  return (isTerminal ? lines.map((line) => `\u001B[97;40m${line}\u001B[0m`) : lines).join('\n');
}

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
const inUrl = (host: string): string => (isIPv6(host) ? `[${host}]` : host);

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
