import { randomInt } from 'node:crypto';
import { login as loginSchema } from '@pressel/contract/credentials';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { createPasswords } from '#src/accounts/passwords.ts';
import { displayName } from '#src/accounts/present-user.ts';
import { lockAccounts, type RecordActs, type RecordedAct } from '#src/history/change.ts';
import { databaseTime } from '#src/processes/clock.ts';
import type { Tx } from '../db/connect.ts';
import { uuidV7 } from '../shared/ids.ts';
import { type Installation, MaintenanceError, withDatabase } from './connect.ts';

/** Leaves out letters that sound or look alike when read out. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
/** Sixteen of 31 letters: 79 bits. */
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** A password that can be read out, such as `k7wq-3nfa-xx2p-h9ts`. */
const makePassword = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
  ).join('-');

/**
 * Gives an account a new password and ends its sessions; its sockets follow within seconds.
 * @returns the password, which is kept nowhere
 * @throws MaintenanceError when there is no such login
 */
export async function resetPassword(installation: Installation, record: RecordActs, login: string): Promise<string> {
  const password = makePassword();
  const hash = await hashOf(password);
  await inTransaction(installation, record, async (client, put) => {
    const { rows } = await client.query<{ id: string; firstName: string; lastName: string; pseudo: string }>(
      `update users set password_hash = $1, version = version + 1 where lower(identifier) = lower($2)
      returning id, first_name as "firstName", last_name as "lastName", pseudo`,
      [hash, login.trim()],
    );
    const [user] = rows;
    if (user === undefined) throw new MaintenanceError(`There is no account with the login ${login}.`);
    await client.query('delete from sessions where user_id = $1', [user.id]);
    await put({ type: 'password_change', target: { id: user.id, name: displayName(user) } });
  });
  return password;
}

/**
 * Makes an administrator.
 * @returns the password, which is kept nowhere
 * @throws MaintenanceError when the login is no address or taken
 */
export async function createAdmin(installation: Installation, record: RecordActs, login: string): Promise<string> {
  const identifier = loginSchema.safeParse(login);
  if (!identifier.success) throw new MaintenanceError('The login must be an e-mail address of at most 50 characters.');
  const password = makePassword();
  const hash = await hashOf(password);
  await inTransaction(installation, record, async (client, put) => {
    const taken = await client.query('select 1 from users where lower(identifier) = lower($1)', [identifier.data]);
    if (taken.rowCount !== 0) {
      throw new MaintenanceError('This login is taken. Give it a new password by `npm run admin -- reset-password`.');
    }
    const user = { id: uuidV7(), firstName: 'Admin', lastName: 'Pressel', pseudo: '' };
    await client.query(
      `insert into users (id, identifier, first_name, last_name, password_hash, role)
      values ($1, $2, $3, $4, $5, 'admin')`,
      [user.id, identifier.data, user.firstName, user.lastName, hash],
    );
    await put({
      type: 'user_creation',
      target: { id: user.id, name: displayName(user) },
      details: { login: identifier.data, role: 'admin', mapRight: false, channels: 0, by: 'maintenance' },
    });
  });
  return password;
}

const hashOf = async (password: string): Promise<string> => (await createPasswords()).hash(password);

/**
 * Holds the lock of accounts, as every change of accounts does, and records the act: without a user and without an address
 * (LOG7). The transaction is the client's.
 */
const inTransaction = (
  installation: Installation,
  record: RecordActs,
  work: (client: pg.Client, put: (act: RecordedAct) => Promise<void>) => Promise<void>,
): Promise<void> =>
  withDatabase(installation, (client) =>
    drizzle(client).transaction(async (tx: Tx) => {
      await lockAccounts(tx);
      const at = new Date(await databaseTime(tx));
      await work(client, (act) => record(tx, [{ ...act, user: null, address: null, at }]));
    }),
  );
