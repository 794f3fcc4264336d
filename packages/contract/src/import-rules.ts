/**
 * How the rows of a sheet are read and judged (spec §5), in the browser before sending and again on the server.
 * Pure, in linear time. Names and logins are used as keys of Maps and Sets only, never of objects (`__proto__`).
 */

import { isReservedKey } from './channels.ts';
import { login, type Role, role } from './credentials.ts';
import {
  CHANNEL_NAME_MAX_LENGTH,
  LOGIN_MAX_LENGTH,
  NAME_MAX_LENGTH,
  PASSWORD_MAX_LENGTH,
  PHONE_MAX_LENGTH,
} from './limits.ts';
import { isStorable, isVisible, roomKey, typedName } from './text.ts';
import { ALL_USER_FIELDS, type ChannelRow, type RowFault, type UserField, type UserRow } from './transfer.ts';

/** A cell as read from a spreadsheet. */
export type Cell = UserRow[UserField];

/** The user that a row describes. `channelKeys` are unique room keys. */
export interface ImportedUser {
  firstName: string;
  lastName: string;
  identifier: string;
  pseudo: string;
  password: string;
  mapRight: boolean;
  channelKeys: string[];
  phoneNumber: string;
  /** The role that the row names, else `member`. The import's `withAdmins` decides whether it is granted. */
  role: Role;
}

/**
 * `existing`: the server has it already. `repeated`: same as an earlier row. Both are skipped, but are not faults.
 * `rejected`: at least one fault.
 */
export type Verdict<Good> =
  | ({ state: 'good' } & Good)
  | { state: 'existing' }
  | { state: 'repeated' }
  | { state: 'rejected'; faults: RowFault[] };

export interface JudgedUserRow {
  /** The row's number in its sheet; by default its index in the list, from 1. */
  row: number;
  /** The cells as text. */
  cells: Record<UserField, string>;
  verdict: Verdict<{ user: ImportedUser }>;
}

export interface JudgedChannelRow {
  row: number;
  cells: { name: string };
  verdict: Verdict<{ channel: { name: string; key: string } }>;
}

/** The logins and channels that exist on the server, and its password rule. */
export interface KnownUsers {
  /** Logins in lower case. */
  identifiers: ReadonlySet<string>;
  /** Keys of channels, as `roomKey` makes them. */
  channelKeys: ReadonlySet<string>;
  passwordMinLength: number;
}

/** A cell as text: cleaned as a name, trimmed of every kind of space, and NFC-normalised unless it is very long. */
export const cellText = (cell: Cell): string => typedName(plainCell(cell)).trim();

/** Excel keeps 15 digits. */
const LONGEST_NUMBER = 1e15;

/**
 * False when a spreadsheet usually displays a cell differently from its value: a boolean, a fraction (0.125 may be
 * displayed as 12.5 %), a number of more than 15 digits.
 */
const isAsShown = (cell: Cell): boolean =>
  typeof cell === 'number' ? Number.isInteger(cell) && cell >= 0 && cell < LONGEST_NUMBER : typeof cell !== 'boolean';

/**
 * A password cell as text, untrimmed, because sign-in doesn't trim passwords either. Empty when the cell has no
 * visible character, or is displayed differently from its value.
 */
export function passwordText(cell: Cell): string {
  const text = isAsShown(cell) ? plainCell(cell) : '';
  return isVisible(text) ? text : '';
}

/** Words for yes and no, in lower case: the spec's own (§5), and those that people and spreadsheets of the three languages write. */
const MAP_RIGHTS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'vrai', 'oui', 'yes', 'ja', 'wahr', '1'].map((word) => [word, true] as const),
  ...['false', 'faux', 'non', 'no', 'nein', 'falsch', '0'].map((word) => [word, false] as const),
]);

const mapRightOf = (text: string): boolean | null => MAP_RIGHTS.get(text.toLowerCase()) ?? null;

/** A yes or no in French, English or German, in any case, a 1 or 0, or a boolean; null for anything else. */
export const parseMapRight = (cell: Cell): boolean | null => mapRightOf(cellText(cell));

/**
 * The channel names of a `canal` cell: separated by semicolons, trimmed, empty ones dropped. A name in double quotes is
 * kept verbatim, including semicolons and spaces; a quote inside it is doubled. Quotes that do not enclose a whole
 * name are ordinary characters.
 */
export function splitChannelNames(cell: string): string[] {
  const names: string[] = [];
  let at = 0;
  while (at < cell.length) {
    const quoted = readQuoted(cell, at);
    const end = quoted?.end ?? endOfName(cell, at);
    const name = quoted?.name ?? cell.slice(at, end).trim();
    if (name.trim() !== '') names.push(name);
    at = end + 1;
  }
  return names;
}

/** Inverse of `splitChannelNames`: one `canal` cell for these names. */
export const joinChannelNames = (names: readonly string[]): string =>
  names
    .map((name) => (/[;"]/u.test(name) || name !== name.trim() ? `"${name.replaceAll('"', '""')}"` : name))
    .join(';');

/** Judges the rows of a users' sheet one by one, in order; stateful, to find repeated logins. */
export function createUserJudge(known: KnownUsers): (row: UserRow, index: number) => JudgedUserRow {
  const seenRows = new Set<string>();
  const seenLogins = new Set<string>();

  const judge = (cells: Record<UserField, string>, isPasswordAsShown: boolean): JudgedUserRow['verdict'] => {
    const key = cells.identifier.toLowerCase();
    const mapRight = parseMapRight(cells.mapRight);
    const { firstName, lastName, identifier, pseudo, password } = cells;
    const fingerprint = JSON.stringify([firstName, lastName, key, pseudo, password, mapRight ?? cells.mapRight]);
    if (seenRows.has(fingerprint)) return { state: 'repeated' };
    seenRows.add(fingerprint);

    const said = roleOf(cells.role);
    const faults = ALL_USER_FIELDS.flatMap((field) => faultOfCell(field, cells[field], known.passwordMinLength) ?? []);
    // Exports have people without a pseudo, and say everybody's role (IMP6).
    if (said !== null) drop(faults, { field: 'pseudo', code: 'missing' });
    if (!isPasswordAsShown) {
      const at = faults.findIndex(({ field }) => field === 'password');
      faults[at] = { field: 'password', code: 'not_text' };
    }
    const channels = channelsOf(cells.canal, known.channelKeys);
    if (channels.unknown.length > 0) faults.push({ field: 'canal', code: 'unknown_channel', names: channels.unknown });
    if (known.identifiers.has(key)) {
      // Existing users may lack a password and a pseudo, so that an export (without passwords) can be imported again.
      const lacks = faults.some(({ field, code }) => code === 'missing' && field !== 'password' && field !== 'pseudo');
      return lacks ? { state: 'rejected', faults } : { state: 'existing' };
    }
    if (key !== '' && seenLogins.has(key)) faults.push({ field: 'identifier', code: 'duplicate' });
    seenLogins.add(key);
    if (faults.length > 0 || mapRight === null) return { state: 'rejected', faults };
    const { phoneNumber } = cells;
    const role = said ?? 'member';
    const channelKeys = channels.known;
    return {
      state: 'good',
      user: { firstName, lastName, identifier, pseudo, password, mapRight, channelKeys, phoneNumber, role },
    };
  };

  return (row, index) => {
    const cells = readUserCells(row);
    return { row: row.row ?? index + 1, cells, verdict: judge(cells, isAsShown(row.password)) };
  };
}

/** All rows of a users' sheet, in their order. */
export const judgeUserRows = (rows: readonly UserRow[], known: KnownUsers): JudgedUserRow[] =>
  rows.map(createUserJudge(known));

/** Like `createUserJudge`, for a channels' sheet. Two names with one room key count as the same. */
export function createChannelJudge(known: {
  channelKeys: ReadonlySet<string>;
}): (row: ChannelRow, index: number) => JudgedChannelRow {
  const seen = new Set<string>();

  const judge = (name: string): JudgedChannelRow['verdict'] => {
    const key = roomKey(name);
    if (key !== '' && seen.has(key)) return { state: 'repeated' };
    seen.add(key);
    const code = faultOfName(name, key);
    if (code !== null) return { state: 'rejected', faults: [{ field: 'name', code }] };
    return known.channelKeys.has(key) ? { state: 'existing' } : { state: 'good', channel: { name, key } };
  };

  return (row, index) => {
    const name = cellText(row.name);
    return { row: row.row ?? index + 1, cells: { name }, verdict: judge(name) };
  };
}

export const judgeChannelRows = (
  rows: readonly ChannelRow[],
  known: { channelKeys: ReadonlySet<string> },
): JudgedChannelRow[] => rows.map(createChannelJudge(known));

const plainCell = (cell: Cell): string => (cell === null || cell === undefined ? '' : String(cell));

/** Reads the known fields only: other keys of a row are dropped. */
const readUserCells = (row: UserRow): Record<UserField, string> => ({
  firstName: cellText(row.firstName),
  lastName: cellText(row.lastName),
  identifier: cellText(row.identifier),
  pseudo: cellText(row.pseudo),
  password: passwordText(row.password),
  mapRight: cellText(row.mapRight),
  canal: cellText(row.canal),
  phoneNumber: cellText(row.phoneNumber),
  role: cellText(row.role),
});

/** The role that an export names; null for whatever else a column of that name may say of people. */
export const roleOf = (text: string): Role | null => role.safeParse(text.toLowerCase()).data ?? null;

function drop(faults: RowFault[], { field, code }: RowFault): void {
  const at = faults.findIndex((one) => one.field === field && one.code === code);
  if (at !== -1) faults.splice(at, 1);
}

/** The first fault of a cell by itself. */
function faultOfCell(field: UserField, text: string, passwordMinLength: number): RowFault | null {
  if (!isStorable(text)) return { field, code: 'unreadable' };
  if (field === 'canal' || field === 'role') return null;
  if (field === 'phoneNumber') return text.length > PHONE_MAX_LENGTH ? { field, code: 'too_long' } : null;
  if (!isVisible(text)) return { field, code: 'missing' };
  switch (field) {
    case 'mapRight':
      return mapRightOf(text) === null ? { field, code: 'bad_map_right' } : null;
    case 'identifier':
      if (text.length > LOGIN_MAX_LENGTH) return { field, code: 'too_long' };
      return login.safeParse(text).success ? null : { field, code: 'bad_login' };
    case 'password':
      if (text.length > PASSWORD_MAX_LENGTH) return { field, code: 'too_long' };
      if (/[\r\n\u2028\u2029]/u.test(text)) return { field, code: 'line_break' };
      return text.length < passwordMinLength ? { field, code: 'password_too_short' } : null;
    default:
      return text.length > NAME_MAX_LENGTH ? { field, code: 'too_long' } : null;
  }
}

function faultOfName(name: string, key: string): RowFault['code'] | null {
  if (!isStorable(name)) return 'unreadable';
  if (key === '' || !isVisible(name)) return 'missing';
  if (name.length > CHANNEL_NAME_MAX_LENGTH) return 'too_long';
  return isReservedKey(key) ? 'reserved' : null;
}

/** The unique keys of the known channels, and the unique names of the unknown ones. */
function channelsOf(cell: string, channelKeys: ReadonlySet<string>): { known: string[]; unknown: string[] } {
  const names = new Map(splitChannelNames(cell).map((name) => [roomKey(name), name]));
  const known: string[] = [];
  const unknown: string[] = [];
  for (const [key, name] of names) {
    if (channelKeys.has(key)) known.push(key);
    else unknown.push(name);
  }
  return { known, unknown };
}

/** The quoted name that starts at index `at`, and the index of its end; null when there is none. */
function readQuoted(cell: string, at: number): { name: string; end: number } | null {
  let open = at;
  while (open < cell.length && cell[open] !== ';' && cell.charAt(open).trim() === '') open += 1;
  if (cell[open] !== '"') return null;
  let close = cell.indexOf('"', open + 1);
  while (close !== -1 && cell[close + 1] === '"') close = cell.indexOf('"', close + 2);
  if (close === -1) return null;
  const end = endOfName(cell, close);
  if (cell.slice(close + 1, end).trim() !== '') return null;
  return { name: cell.slice(open + 1, close).replaceAll('""', '"'), end };
}

const endOfName = (cell: string, from: number): number => {
  const end = cell.indexOf(';', from);
  return end === -1 ? cell.length : end;
};
