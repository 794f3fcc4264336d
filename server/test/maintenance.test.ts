import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getAllActivities } from '@pressel/contract/activities';
import { isValidToken, logIn, signUpUser } from '@pressel/contract/auth';
import { type Call, type CallInput, type CallReply, TOKEN_HEADER } from '@pressel/contract/call';
import { createChannel, getAllChannels } from '@pressel/contract/channels';
import { getAllUsers } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withDatabase } from '#src/maintenance/connect.ts';
import { maintain, makeEmptyDatabase } from './installations.ts';
import { readyServer, type ServerRun, startServer } from './start-server.ts';
import { copyDataFolder } from './test-database.ts';
import { waitUntil } from './wait-until.ts';

const ADMIN = { user_email: 'admin@example.org', user_password: 'mot de passe' };

describe('keeping an installation', { timeout: 300_000 }, () => {
  let dir: string;
  let runs: ServerRun[];
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pressel-keep-'));
    runs = [];
  });
  afterEach(async () => {
    for (const run of runs) await stop(run);
    await rm(dir, { recursive: true, force: true });
  });

  const at = (name: string) => join(dir, name);
  const start = async (data: string, env: NodeJS.ProcessEnv = {}) => {
    if (!existsSync(at(data))) {
      await mkdir(at(data));
      await copyDataFolder(at(data));
    }
    const run = startServer({ DATA_DIR: at(data), ...env });
    runs.push(run);
    return { run, origin: (await readyServer(run)).origin };
  };
  const stop = async (run: ServerRun): Promise<void> => {
    run.child.kill('SIGTERM');
    await run.ended;
  };
  const keep = (data: string, ...args: string[]) => maintain({ DATA_DIR: at(data) }, ...args).ended;
  async function call<C extends Call>(origin: string, call: C, body: CallInput<C>, token = ''): Promise<CallReply<C>> {
    const response = await fetch(`${origin}${call.path}`, {
      method: call.method,
      headers: { 'content-type': 'application/json', [TOKEN_HEADER]: token },
      body: JSON.stringify(body),
    });
    return (await response.json()) as CallReply<C>;
  }
  const signUp = (origin: string) =>
    call(origin, signUpUser, {
      firstName: 'Zoë',
      lastName: 'Tab\tand\\N',
      email: ADMIN.user_email,
      password: ADMIN.user_password,
    });
  const signIn = async (origin: string) => (await call(origin, logIn, ADMIN)).user;

  test('a backup that is written while others write holds whole acts, and comes to life elsewhere', async () => {
    const { run, origin } = await start('one');
    await signUp(origin);
    const { id, authToken } = await signIn(origin);
    let written = 0;
    let isOver = false;
    // Each stores a channel, its member and its log entry in one transaction.
    const writing = (async () => {
      while (!isOver) {
        await call(origin, createChannel, { channelName: `Canal ${written}`, userList: [id] }, authToken);
        written += 1;
      }
    })();
    await waitUntil(() => written > 20);
    const before = written;
    const backup = await keep('one', 'backup', at('kept'));
    const after = written;
    isOver = true;
    await writing;
    expect(after).toBeGreaterThan(before);
    expect(backup).toEqual({ status: 0, said: expect.stringMatching(/^Backup written: \d+ tables, \d+ rows/u) });
    expect((await stat(at('kept'))).mode & 0o777).toBe(0o700);
    expect((await keep('one', 'restore', at('kept'), '--replace')).said).toMatch(/is in use by process \d+\. Stop it/u);
    await stop(run);

    expect(await keep('two', 'restore', at('kept'))).toMatchObject({ status: 0 });
    const restored = await start('two');
    expect((await call(restored.origin, isValidToken, { token: authToken })).success).toBe(false);
    const { authToken: token } = await signIn(restored.origin);
    const { res: channels } = await call(restored.origin, getAllChannels, {}, token);
    expect(channels.length).toBeGreaterThanOrEqual(before);
    expect(channels.length).toBeLessThanOrEqual(after + 1);
    expect(new Set(channels.map(({ users }) => users?.length))).toEqual(new Set([1]));
    const created = await withDatabase({ dataDir: at('two'), databaseUrl: null }, async (client) => {
      const { rows } = await client.query<{ n: number }>(
        "select count(*)::int as n from activities where type = 'channel_creation'",
      );
      return rows[0]?.n;
    });
    expect(created).toBe(channels.length);
    const { res: users } = await call(restored.origin, getAllUsers, {}, token);
    expect(users.map(({ firstName, lastName }) => [firstName, lastName])).toEqual([['Zoë', 'Tab and\\N']]);
  });

  test('who is locked out gets a password, or an administrator, while Pressel runs', async () => {
    const { origin } = await start('one');
    await signUp(origin);
    const { authToken } = await signIn(origin);
    const status = await keep('one', 'admin', 'status');
    expect(status, 'OPS8').toMatchObject({ status: 0, said: expect.stringContaining('Content: 1 users') });
    expect(await keep('one', 'admin', 'verify'), 'OPS7').toEqual({ status: 0, said: 'Everything agrees.' });
    const reset = await keep('one', 'admin', 'reset-password', 'ADMIN@example.org');
    const password = /: (\w{4}(?:-\w{4}){3})$/u.exec(reset.said)?.[1] ?? '';
    expect(await call(origin, isValidToken, { token: authToken })).toEqual({ success: false });
    expect((await call(origin, logIn, { ...ADMIN, user_password: password })).user.role).toBe('admin');
    expect((await call(origin, logIn, ADMIN)).success).toBe(false);

    const made = await keep('one', 'admin', 'create-admin', 'second@example.org');
    const second = { user_email: 'second@example.org', user_password: made.said.split(' ').at(-1) ?? '' };
    const { user } = await call(origin, logIn, second);
    expect(user.role).toBe('admin');
    const types = ['password_change' as const, 'user_creation' as const];
    const { res } = await call(origin, getAllActivities, { types }, user.authToken);
    // [LOG7] The entries have no user and no address.
    expect(res.activities).toMatchObject([
      {
        ...{ type: 'user_creation', user: null, address: null, target: { id: user.id, display_name: 'Admin Pressel' } },
        details: { login: 'second@example.org', role: 'admin', mapRight: false, channels: 0, by: 'maintenance' },
      },
      { type: 'password_change', user: null, address: null, target: { display_name: 'Zoë Tab and\\N' } },
      { type: 'user_creation', details: { by: 'self' } },
    ]);
    for (const [args, sentence] of [
      [['reset-password', 'nobody@example.org'], 'There is no account'],
      [['create-admin', 'second@example.org'], 'taken'],
      [['create-admin', 'nobody'], 'e-mail address'],
      [['delete-all', 'x'], 'npm run admin'],
    ] as const) {
      expect(await keep('one', 'admin', ...args)).toEqual({ status: 1, said: expect.stringContaining(sentence) });
    }
  });

  test('[FILE20] [FILE23] an installation goes on in another database with its sessions, and starts nowhere else', async () => {
    const { run, origin } = await start('one');
    await signUp(origin);
    const { authToken } = await signIn(origin);
    const target = await makeEmptyDatabase();
    expect((await keep('one', 'admin', 'move-to', target)).said).toMatch(/is in use by process \d+\. Stop it/u);
    await stop(run);

    const moved = await keep('one', 'admin', 'move-to', target.replace('@', ':pa55w0rd@'));
    expect(moved).toMatchObject({ status: 0, said: expect.stringContaining('\nusers: 1 rows\n') });
    expect(moved.said).toContain(`Set DATABASE_URL=${target.replace('@', ':***@')} (with the password`);
    expect(moved.said).not.toContain('pa55w0rd');
    await expect(start('one')).rejects.toThrow(/This installation was moved to \S+ on/u);
    const next = await start('one', { DATABASE_URL: target });
    expect((await call(next.origin, isValidToken, { token: authToken })).success).toBe(true);
    await stop(next.run);
    const verified = await maintain({ DATA_DIR: at('one'), DATABASE_URL: target }, 'admin', 'verify').ended;
    expect(verified.said).toBe('Everything agrees.');
    expect(await keep('one', 'admin', 'move-back')).toMatchObject({ status: 0 });
    await start('one');
  });

  test('what looks like an option is no folder: the commands are shown', async () => {
    for (const args of [
      ['backup', '--help'],
      ['restore', '--replace', 'x'],
      ['admin', 'move-to'],
      ['admin', 'move-back', 'x'],
    ]) {
      const { status, said } = await keep('none', ...args);
      expect([status, said]).toEqual([1, expect.stringContaining('npm run backup -- DIR')]);
    }
  });
});
