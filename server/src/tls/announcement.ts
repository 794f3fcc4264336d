import { encodeQR } from 'qr';
import { isLoopbackName } from '#src/addresses/hosts.ts';
import type { Config } from '#src/config/config.ts';
import { inUrl, type Machine } from './machine.ts';

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
