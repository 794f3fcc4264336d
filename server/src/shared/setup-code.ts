import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** Without letters and digits that are mistaken for each other: twelve of them are 59 bits. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const GROUPS = 3;
const GROUP_LENGTH = 4;

/** What whoever makes the first account must give (AUTH10). */
export interface SetupCode {
  readonly text: string;
  /** Made by this process, for its start line; else it was set, and its setter knows it. */
  readonly isGenerated: boolean;
}

/**
 * Asked for unless nobody but the people at this machine can reach the server: it listens on loopback, and no
 * `PUBLIC_URL` says that a proxy stands before it. One that was set is always asked for.
 */
export function chooseSetupCode(config: {
  setupCode: string | null;
  host: string;
  publicUrl: string | null;
}): SetupCode | null {
  if (config.setupCode !== null) return { text: config.setupCode, isGenerated: false };
  if (isLoopbackName(config.host) && config.publicUrl === null) return null;
  const group = () => Array.from({ length: GROUP_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
  return { text: Array.from({ length: GROUPS }, group).join('-'), isGenerated: true };
}

/** For the start line, while there is no account. */
export function firstAccountHint(code: SetupCode | null): string {
  const hint = ' — the first person to sign up becomes administrator';
  if (code === null) return hint;
  return code.isGenerated
    ? `${hint}, with the setup code ${code.text}`
    : `${hint}, with the code that is set as SETUP_CODE`;
}

/** Compares in constant time, without regard to case, spaces and hyphens: a code is read from one screen and typed on another. */
export function isSetupCode(code: SetupCode | null, given: string): boolean {
  if (code === null) return false;
  return timingSafeEqual(digest(code.text), digest(given));
}

const digest = (text: string): Buffer =>
  createHash('sha256')
    .update(text.replace(/[\s-]+/gu, '').toUpperCase())
    .digest();

/** Added by proxies, not by browsers. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Whether a request to a server on loopback shows no sign of having come through a proxy on the same machine, whose peer
 * address is loopback too: such a proxy adds a header, or passes on a Host that is no loopback name. A page that rebinds
 * its DNS name to loopback has such a Host as well.
 */
export const isLocalRequest = (headers: IncomingHttpHeaders): boolean =>
  !PROXY_HEADERS.some((name) => headers[name] !== undefined) && isLoopbackName(hostnameOf(headers.host ?? ''));

function hostnameOf(host: string): string {
  const url = URL.parse(`http://${host}`);
  return url?.hostname ?? '';
}

const isLoopbackName = (host: string): boolean =>
  /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/iu.test(host);
