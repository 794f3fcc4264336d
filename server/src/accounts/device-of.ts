import type { SESSION_BROWSERS, SESSION_SYSTEMS } from '@pressel/contract/auth';

/** The browser and system that opened a session; null where the request doesn't say or is unknown. */
export interface Device {
  browser: (typeof SESSION_BROWSERS)[number] | null;
  system: (typeof SESSION_SYSTEMS)[number] | null;
}

/** The order matters: most browsers also claim to be later ones in this list. */
const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//u],
  ['Opera', /\bOPR\/|\bOpera\b/u],
  ['Samsung Internet', /\bSamsungBrowser\//u],
  ['Firefox', /\b(?:Firefox|FxiOS)\//u],
  ['Chrome', /\b(?:Chrome|Chromium|CriOS)\//u],
  ['Safari', /\bSafari\//u],
] as const;

const SYSTEMS = [
  ['Android', /\bAndroid\b/u],
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/u],
  ['ChromeOS', /\bCrOS\b/u],
  ['Windows', /\bWindows\b/u],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/u],
  ['Linux', /\bLinux\b/u],
] as const;

/** No browser's header is longer. */
const READ_LENGTH = 512;

/**
 * Browser and system by the User-Agent header (RFC 9110 §10.1.5), so that people can tell their devices apart. A sender may
 * write anything: only names from a fixed list are kept, never the header.
 */
export function deviceOf(userAgent: string | undefined): Device {
  const said = (userAgent ?? '').slice(0, READ_LENGTH);
  const first = <Name extends string>(known: readonly (readonly [Name, RegExp])[]): Name | null =>
    known.find(([, pattern]) => pattern.test(said))?.[0] ?? null;
  return { browser: first(BROWSERS), system: first(SYSTEMS) };
}
