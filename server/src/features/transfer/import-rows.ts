import type { ChannelId, UserId } from '@pressel/contract/ids';
import {
  cellText,
  createChannelJudge,
  createUserJudge,
  type ImportedUser,
  type JudgedChannelRow,
  type JudgedUserRow,
} from '@pressel/contract/import-rules';
import { IMPORT_MAX_MEMBERSHIPS } from '@pressel/contract/limits';
import type {
  ChannelImportOutcome,
  ChannelRow,
  RowFault,
  UserImportOutcome,
  UserRow,
} from '@pressel/contract/transfer';
import type { Passwords } from '#src/accounts/passwords.ts';
import { displayName } from '#src/accounts/present-user.ts';
import type { Session } from '#src/accounts/session.ts';
import type { Db } from '#src/db/connect.ts';
import type { Act, Change } from '#src/history/change.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { createYielder } from '#src/shared/in-pieces.ts';
import type { ImportRun } from './import-runs.ts';
import * as repository from './transfer.repository.ts';

/** Activities per statement. */
const USERS_RECORDED_AT_ONCE = 1_000;

export interface UserImportDeps {
  db: Db;
  passwords: Pick<Passwords, 'hashAll'>;
  passwordMinLength: number;
  change: Change;
}

interface GoodRow {
  row: number;
  user: ImportedUser;
}
/** The outcome of storing a good row. */
type Stored =
  | { state: 'created'; id: string; user: ImportedUser; channelIds: string[] }
  | { state: 'existing' }
  | { state: 'rejected'; faults: RowFault[] };

/** Judges the rows, hashes the passwords of the good ones and stores these. It makes administrators only when asked (IMP18). */
export async function importUsers(
  deps: UserImportDeps,
  run: ImportRun,
  session: Session,
  { rows, withAdmins }: { rows: readonly UserRow[]; withAdmins: boolean },
): Promise<UserImportOutcome> {
  const judged = await judgeUsers(deps, run, rows);
  const good = judged.flatMap(({ row, verdict }): GoodRow[] => {
    if (verdict.state !== 'good') return [];
    return [{ row, user: withAdmins ? verdict.user : { ...verdict.user, role: 'member' } }];
  });
  const memberships = good.reduce((sum, { user }) => sum + user.channelKeys.length, 0);
  if (memberships > IMPORT_MAX_MEMBERSHIPS) throw new AppError('too_large', { what: 'memberships' });
  run.progress(0, good.length);
  const hashes = await deps.passwords.hashAll(
    good.map(({ user }) => user.password),
    run.signal,
    (count) => run.progress(count, good.length),
  );
  return store(deps, run, session, { judged, good, hashes });
}

async function judgeUsers(deps: UserImportDeps, run: ImportRun, rows: readonly UserRow[]): Promise<JudgedUserRow[]> {
  const yieldToEventLoop = createYielder();
  const logins: string[] = [];
  for (const { identifier } of rows) {
    logins.push(cellText(identifier).toLowerCase());
    await yieldToEventLoop();
  }
  const judgeRow = createUserJudge({
    identifiers: await repository.existingLogins(deps.db, logins),
    channelKeys: await repository.listChannelKeys(deps.db),
    passwordMinLength: deps.passwordMinLength,
  });
  const judged: JudgedUserRow[] = [];
  for (const [index, row] of rows.entries()) {
    judged.push(judgeRow(row, index));
    await yieldToEventLoop();
    run.signal.throwIfAborted();
  }
  return judged;
}

/** Stores all rows in one transaction. Reports those whose login was taken or channel deleted during the hashing. */
async function store(
  { change }: UserImportDeps,
  run: ImportRun,
  session: Session,
  { judged, good, hashes }: { judged: readonly JudgedUserRow[]; good: readonly GoodRow[]; hashes: readonly string[] },
): Promise<UserImportOutcome> {
  await run.beginStoring();
  // `change` checks session and role again: hashing may have taken minutes.
  return change(session, async (tx, act) => {
    const taken = await repository.existingLogins(
      tx,
      good.map(({ user }) => user.identifier.toLowerCase()),
    );
    const wanted = new Set(good.flatMap(({ user }) => user.channelKeys));
    const channelIds = await repository.lockChannelsForKeyShare(tx, [...wanted]);
    const stored = good.map(({ user }) => decide(user, taken, channelIds));
    await repository.insertUsers(
      tx,
      stored.flatMap((entry, index) => (entry.state === 'created' ? accountOf(entry, hashes[index]) : [])),
    );
    await repository.insertMemberships(
      tx,
      stored.flatMap((entry) =>
        entry.state === 'created' ? entry.channelIds.map((channelId) => ({ channelId, userId: entry.id })) : [],
      ),
    );
    const created = stored.filter((entry) => entry.state === 'created');
    const grown = new Set(created.flatMap((entry) => entry.channelIds as ChannelId[]));
    const userIds = created.map(({ id }) => id as UserId);
    if (userIds.length > 0) act.after('usersCreated', { userIds, channelIds: [...grown] });
    const outcome = userOutcome(judged, stored);
    await recordImport(act, created, outcome);
    await run.store(tx, { state: 'users', outcome });
    return outcome;
  });
}

function decide(user: ImportedUser, taken: ReadonlySet<string>, channelIds: ReadonlyMap<string, string>): Stored {
  if (taken.has(user.identifier.toLowerCase())) return { state: 'existing' };
  const gone = user.channelKeys.filter((key) => !channelIds.has(key));
  if (gone.length > 0) {
    return { state: 'rejected', faults: [{ field: 'canal', code: 'unknown_channel', names: gone }] };
  }
  const ids = user.channelKeys.flatMap((key) => channelIds.get(key) ?? []);
  return { state: 'created', id: uuidV7(), user, channelIds: ids };
}

/** One entry for the import, and one for each account. Their memberships are told by number: there may be 200,000. */
async function recordImport(
  act: Act,
  created: readonly (Stored & { state: 'created' })[],
  outcome: UserImportOutcome,
): Promise<void> {
  await act.record({ type: 'user_import', details: countsOf(outcome) });
  const yieldToEventLoop = createYielder();
  for (let start = 0; start < created.length; start += USERS_RECORDED_AT_ONCE) {
    await act.record(
      ...created.slice(start, start + USERS_RECORDED_AT_ONCE).map(({ id, user, channelIds }) => ({
        type: 'user_creation' as const,
        target: { id, name: displayName(user) },
        details: {
          login: user.identifier,
          role: user.role,
          mapRight: user.mapRight,
          channels: channelIds.length,
          by: 'import' as const,
        },
      })),
    );
    await yieldToEventLoop();
  }
}

function accountOf({ id, user }: Stored & { state: 'created' }, passwordHash: string | undefined) {
  if (passwordHash === undefined) throw new Error('A password was not hashed');
  const { firstName, lastName, identifier, pseudo, mapRight, phoneNumber, role } = user;
  return [{ id, firstName, lastName, identifier, pseudo, mapRight, phoneNumber, passwordHash, role }];
}

/** Groups rows by outcome, in the order of the sheet. `stored` has one entry per good row, in order. */
function userOutcome(judged: readonly JudgedUserRow[], stored: readonly Stored[]): UserImportOutcome {
  const outcome: UserImportOutcome = { created: [], existing: [], rejected: [], repeated: [] };
  const entries = stored.values();
  for (const { row, cells, verdict } of judged) {
    const name = nameShown(cells.identifier, `${cells.firstName} ${cells.lastName}`);
    const end = verdict.state === 'good' ? entries.next().value : verdict;
    if (end === undefined) throw new Error('A good row was not stored');
    if (end.state === 'created') {
      outcome.created.push({ row, id: end.id as UserImportOutcome['created'][number]['id'], identifier: name });
    } else if (end.state === 'rejected') outcome.rejected.push({ row, name, faults: end.faults.map(faultShown) });
    else outcome[end.state].push({ row, name });
  }
  return outcome;
}

/** The same for channels. */
const CHANNELS_RECORDED_AT_ONCE = 250;

export interface ChannelImportDeps {
  db: Db;
  change: Change;
}

/** Judges the rows and stores the good ones with their activities, in one transaction. */
export async function importChannels(
  deps: ChannelImportDeps,
  run: ImportRun,
  session: Session,
  rows: readonly ChannelRow[],
): Promise<ChannelImportOutcome> {
  const judged = await judgeChannels(deps.db, run, rows);
  const good = judged.flatMap(({ verdict }) =>
    verdict.state === 'good' ? [{ id: uuidV7(), name: verdict.channel.name, rtcSession: verdict.channel.key }] : [],
  );
  run.progress(0, good.length);
  await run.beginStoring();
  const outcome = await deps.change(session, async (tx, act) => {
    const ids = await repository.insertChannels(tx, good);
    const created = good.filter(({ id }) => ids.has(id));
    const yieldToEventLoop = createYielder();
    for (let start = 0; start < created.length; start += CHANNELS_RECORDED_AT_ONCE) {
      const some = created.slice(start, start + CHANNELS_RECORDED_AT_ONCE);
      await act.record(
        ...some.map((channel) => ({ type: 'channel_creation' as const, channel, details: { imported: true } })),
      );
      await yieldToEventLoop();
    }
    if (created.length > 0) act.after('channelsImported', {});
    const result = channelOutcome(judged, good, ids);
    await act.record({ type: 'channel_import', details: countsOf(result) });
    await run.store(tx, { state: 'channels', outcome: result });
    return result;
  });
  run.progress(good.length, good.length);
  return outcome;
}

async function judgeChannels(db: Db, run: ImportRun, rows: readonly ChannelRow[]): Promise<JudgedChannelRow[]> {
  const judgeRow = createChannelJudge({ channelKeys: await repository.listChannelKeys(db) });
  const judged: JudgedChannelRow[] = [];
  const yieldToEventLoop = createYielder();
  for (const [index, row] of rows.entries()) {
    judged.push(judgeRow(row, index));
    await yieldToEventLoop();
    run.signal.throwIfAborted();
  }
  return judged;
}

/** Groups rows by outcome, in the order of the sheet. A good row that wasn't inserted was created concurrently. */
function channelOutcome(
  judged: readonly JudgedChannelRow[],
  good: readonly { id: string }[],
  added: ReadonlySet<string>,
): ChannelImportOutcome {
  const outcome: ChannelImportOutcome = { created: [], existing: [], rejected: [], repeated: [] };
  const channels = good.values();
  for (const { row, cells, verdict } of judged) {
    const name = nameShown(cells.name);
    if (verdict.state === 'rejected') outcome.rejected.push({ row, name, faults: verdict.faults.map(faultShown) });
    else if (verdict.state !== 'good') outcome[verdict.state].push({ row, name });
    else {
      const id = channels.next().value?.id ?? '';
      if (added.has(id)) outcome.created.push({ row, id: id as ChannelImportOutcome['created'][number]['id'], name });
      else outcome.existing.push({ row, name });
    }
  }
  return outcome;
}

/** Characters of a cell that an answer repeats, enough to identify the row: cells may be very long. */
const TEXT_SHOWN_MAX = 120;
const NAMES_SHOWN_MAX = 20;

/** The first visible text, truncated. */
const nameShown = (...texts: readonly string[]): string => cut(texts.find((text) => text.trim() !== '')?.trim() ?? '');

const faultShown = (fault: RowFault): RowFault =>
  fault.names === undefined ? fault : { ...fault, names: fault.names.slice(0, NAMES_SHOWN_MAX).map(cut) };

const cut = (text: string): string =>
  text.length <= TEXT_SHOWN_MAX ? text : `${text.slice(0, TEXT_SHOWN_MAX).toWellFormed()}…`;

/** Number of rows with each outcome. */
const countsOf = (outcome: Record<'created' | 'existing' | 'rejected' | 'repeated', readonly unknown[]>) => ({
  created: outcome.created.length,
  existing: outcome.existing.length,
  rejected: outcome.rejected.length,
  repeated: outcome.repeated.length,
});
