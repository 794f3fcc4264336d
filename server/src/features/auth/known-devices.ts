import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { logIn } from '@pressel/contract/auth';

/** A device that was not signed in on for this long is a stranger again. */
export const DEVICE_MS = 180 * 86_400_000;
/** Accounts that one device is remembered for: a desk is shared by shifts. The one longest ago goes. */
const ACCOUNTS_MAX = 8;
const ID_BYTES = 16;
const MARK_LENGTH = 22;

/** One account that somebody signed in to on this device, as the device's cookie tells it. */
interface Entry {
  readonly userId: string;
  readonly deviceId: string;
  /** When that was, ms since the epoch. */
  readonly at: number;
  /** Tells whether the password is still the one of then, and nothing else about it. */
  readonly passwordMark: string;
}

/** What a request's cookie shows: entries that this server made, of whichever accounts. */
export type Shown = readonly Entry[];

type Account = { id: string; passwordHash: string };

/**
 * Devices that somebody signed in on before, known by a signed cookie: their owners get in while strangers use up the
 * attempts of an account or an address (AUTH6). It opens nothing by itself. A new password makes every device unknown:
 * whoever knew the old one could have had as many remembered as they like.
 */
export interface KnownDevices {
  read(cookies: string | undefined): Shown;
  /** The device's id, when it is known for this account; else null. */
  idFor(shown: Shown, account: Account): string | null;
  /** The cookie for a device on which the account was just signed in to. */
  remember(shown: Shown, account: Account): string;
}

export function createKnownDevices(deps: { key: Buffer; now: () => Date; isSecure: boolean }): KnownDevices {
  // Browsers take a cookie of this prefix from https alone.
  const name = deps.isSecure ? '__Secure-pressel_device' : 'pressel_device';
  const sign = (text: string): Buffer => createHmac('sha256', deps.key).update(text).digest();
  const markOf = (passwordHash: string): string =>
    sign(`password\n${passwordHash}`).toString('base64url').slice(0, MARK_LENGTH);
  const signatureOf = ({ userId, deviceId, at, passwordMark }: Entry): Buffer =>
    sign(`device\n${userId}\n${deviceId}\n${at}\n${passwordMark}`);

  const parse = (text: string): Entry[] => {
    const [userId = '', deviceId = '', at = '', passwordMark = '', signature = ''] = text.split('.');
    const entry = { userId, deviceId, at: Number(at), passwordMark };
    const [given, expected] = [Buffer.from(signature, 'base64url'), signatureOf(entry)];
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return [];
    return entry.at > deps.now().getTime() - DEVICE_MS ? [entry] : [];
  };
  const write = (entry: Entry): string =>
    [entry.userId, entry.deviceId, entry.at, entry.passwordMark, signatureOf(entry).toString('base64url')].join('.');

  const find = (shown: Shown, { id, passwordHash }: Account): Entry | undefined =>
    shown.find(({ userId, passwordMark }) => userId === id && passwordMark === markOf(passwordHash));

  return {
    read(cookies) {
      const pairs = (cookies ?? '').split(';').map((pair) => pair.trim());
      const value = pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
      return value.split('~', ACCOUNTS_MAX).flatMap(parse);
    },
    idFor: (shown, account) => find(shown, account)?.deviceId ?? null,
    remember(shown, account) {
      const entry = {
        userId: account.id,
        // The same one again: else each sign-in would come with new attempts.
        deviceId: find(shown, account)?.deviceId ?? randomBytes(ID_BYTES).toString('base64url'),
        at: deps.now().getTime(),
        passwordMark: markOf(account.passwordHash),
      };
      const others = shown.filter(({ userId }) => userId !== account.id);
      const value = [entry, ...others].slice(0, ACCOUNTS_MAX).map(write).join('~');
      // Sent to the sign-in alone.
      const attributes = `Path=${logIn.path}; Max-Age=${DEVICE_MS / 1_000}; HttpOnly; SameSite=Strict`;
      return `${name}=${value}; ${attributes}${deps.isSecure ? '; Secure' : ''}`;
    },
  };
}
