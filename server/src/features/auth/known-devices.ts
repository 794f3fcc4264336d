import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { logIn } from '@pressel/contract/auth';

/** Without a sign-in for this long, a device is a stranger again. */
export const DEVICE_MS = 180 * 86_400_000;
/** Maximum of accounts that one device is remembered for, because shifts share a desk. The oldest is forgotten. */
const ACCOUNTS_MAX = 8;
const ID_BYTES = 16;
const MARK_LENGTH = 22;

/** One account that somebody signed in to on this device, as its cookie tells. */
interface Entry {
  readonly userId: string;
  readonly deviceId: string;
  /** The time of the sign-in, ms since the epoch. */
  readonly at: number;
  /** Tells whether the password is still the same as at that sign-in, and nothing else about it. */
  readonly passwordMark: string;
}

/** Entries in a request's cookie that this server made, for whichever accounts. */
export type Shown = readonly Entry[];

type Account = { id: string; passwordHash: string };

/**
 * Recognises devices that somebody signed in on before, by a signed cookie. Their owners get in while strangers use up the
 * attempts of an account or address (AUTH6). The cookie alone opens nothing. A new password makes every device unknown, because
 * somebody who knew the old one could have had many devices remembered.
 */
export interface KnownDevices {
  read(cookies: string | undefined): Shown;
  /** The device's id if it is known for this account, else null. */
  idFor(shown: Shown, account: Account): string | null;
  /** The cookie for a device on which the account was just signed in to. */
  remember(shown: Shown, account: Account): string;
}

export function createKnownDevices(deps: { key: Buffer; now: () => Date; isSecure: boolean }): KnownDevices {
  // Browsers accept a cookie of this prefix only from https.
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
        // Keeps the same id: otherwise each sign-in would bring new attempts.
        deviceId: find(shown, account)?.deviceId ?? randomBytes(ID_BYTES).toString('base64url'),
        at: deps.now().getTime(),
        passwordMark: markOf(account.passwordHash),
      };
      const others = shown.filter(({ userId }) => userId !== account.id);
      const value = [entry, ...others].slice(0, ACCOUNTS_MAX).map(write).join('~');
      // Browsers send it only with a sign-in.
      const attributes = `Path=${logIn.path}; Max-Age=${DEVICE_MS / 1_000}; HttpOnly; SameSite=Strict`;
      return `${name}=${value}; ${attributes}${deps.isSecure ? '; Secure' : ''}`;
    },
  };
}
