import { randomInt } from 'node:crypto';
import { login as loginSchema } from '@pressel/contract/users';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { lockAccounts } from '../platform/change.repository.ts';
import { uuidV7 } from '../shared/ids.ts';
import { createPasswords } from '../shared/passwords.ts';
import { type Installation, withDatabase } from './connect.ts';
import { MaintenanceError } from './maintenance-error.ts';

/** Without those that are taken for others when they are read out. */
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
export async function resetPassword(installation: Installation, login: string): Promise<string> {
  const password = makePassword();
  const hash = await hashOf(password);
  await inTransaction(installation, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      'update users set password_hash = $1, version = version + 1 where lower(identifier) = lower($2) returning id',
      [hash, login.trim()],
    );
    if (rows[0] === undefined) throw new MaintenanceError(`There is no account with the login ${login}.`);
    await client.query('delete from sessions where user_id = $1', [rows[0].id]);
  });
  return password;
}

/**
 * Makes an administrator.
 * @returns the password, which is kept nowhere
 * @throws MaintenanceError when the login is no address or taken
 */
export async function createAdmin(installation: Installation, login: string): Promise<string> {
  const identifier = loginSchema.safeParse(login);
  if (!identifier.success) throw new MaintenanceError('The login must be an e-mail address of at most 50 characters.');
  const password = makePassword();
  const hash = await hashOf(password);
  await inTransaction(installation, async (client) => {
    const taken = await client.query('select 1 from users where lower(identifier) = lower($1)', [identifier.data]);
    if (taken.rowCount !== 0) {
      throw new MaintenanceError('This login is taken. Give it a new password by `npm run admin -- reset-password`.');
    }
    await client.query(
      `insert into users (id, identifier, first_name, last_name, password_hash, role)
      values ($1, $2, 'Admin', 'Pressel', $3, 'admin')`,
      [uuidV7(), identifier.data, hash],
    );
  });
  return password;
}

const hashOf = async (password: string): Promise<string> => (await createPasswords()).hash(password);

/** Under the lock of accounts, as every change of them. The transaction is the client's. */
const inTransaction = (installation: Installation, work: (client: pg.Client) => Promise<void>): Promise<void> =>
  withDatabase(installation, (client) =>
    drizzle(client).transaction(async (tx) => {
      await lockAccounts(tx);
      await work(client);
    }),
  );
