import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logIn, signUpUser } from '@pressel/contract/auth';
import { getAllUsers } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectSocket } from './socket-client.ts';
import { waitUntil } from './wait-until.ts';

const READY = /^Pressel is ready at (http:\/\/127\.0\.0\.1:\d+)(.*)$/mu;
/** A first start on a busy machine of one core. */
const START_MS = 60_000;
const STOP_MS = 5_000;
const PASSWORD = 'mot de passe';

interface Run {
  child: ChildProcess;
  output: () => string;
  errors: () => string;
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | string>;
}

/** The real process, as an installation runs it. */
describe('the process', { timeout: 180_000 }, () => {
  let dataDir: string;
  let runs: Run[];
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'pressel-process-'));
    runs = [];
  });
  afterEach(async () => {
    for (const { child } of runs) child.kill('SIGKILL');
    await Promise.all(runs.map(({ ended }) => ended));
    rmSync(dataDir, { recursive: true, force: true });
  });

  const start = (env: NodeJS.ProcessEnv = {}): Run => {
    const main = join(import.meta.dirname, '../src/main.ts');
    const child = spawn(process.execPath, ['--liftoff-only', main], {
      env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (errors += chunk));
    const ended = once(child, 'close').then(([code, signal]: (number | string)[]) => code ?? signal ?? 'unknown');
    const run = { child, output: () => output, errors: () => errors, ended };
    runs.push(run);
    return run;
  };
  const ready = async (run: Run): Promise<{ origin: string; rest: string }> => {
    await waitUntil(() => READY.test(run.output()) || run.child.exitCode !== null, START_MS);
    const [, origin, rest] = READY.exec(run.output()) ?? [];
    if (origin === undefined || rest === undefined) throw new Error(`Not ready: ${run.output()}${run.errors()}`);
    return { origin, rest };
  };
  const post = async (origin: string, path: string, body: unknown, token = '') => {
    const response = await fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-access-token': token },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const email = 'ana@example.org';
  const signUp = (origin: string) =>
    post(origin, signUpUser.path, { firstName: 'Ana', lastName: 'Ruiz', email, password: PASSWORD });
  const signIn = async (origin: string) =>
    logIn.reply.parse((await post(origin, logIn.path, { user_email: email, user_password: PASSWORD })).body).user;
  const stop = async (run: Run, signal: NodeJS.Signals) => {
    const since = performance.now();
    run.child.kill(signal);
    const code = await run.ended;
    return { code, ms: performance.now() - since };
  };

  test('says in one line where it is, and that the first to sign up becomes administrator, until somebody did', async () => {
    const first = start();
    const { origin, rest } = await ready(first);
    expect(rest).toBe(' — the first person to sign up becomes administrator');
    expect(first.output().trim().split('\n')).toHaveLength(1);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect((await signUp(origin)).body).toMatchObject({ user: { role: 'admin' } });
    expect(await stop(first, 'SIGTERM')).toMatchObject({ code: 0 });
    expect((await ready(start())).rest).toBe('');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it in order in under 5 s, open sockets or not', async (signal) => {
    const run = start();
    const { origin } = await ready(run);
    await signUp(origin);
    const { authToken } = await signIn(origin);
    const socket = await connectSocket(origin, authToken);
    const idle = await fetch(`${origin}/healthz`, { headers: { connection: 'keep-alive' } });
    expect(idle.status).toBe(200);
    const { code, ms } = await stop(run, signal);
    expect(code).toBe(0);
    expect(ms).toBeLessThan(STOP_MS);
    // Not 'io server disconnect', after which clients do not come back.
    expect(['transport close', 'transport error']).toContain(await socket.disconnected);
    expect(run.errors()).not.toContain('"level":50');
  });

  test('what was acknowledged is there after a kill, without waiting and without repair', async () => {
    const first = start();
    const { origin } = await ready(first);
    await signUp(origin);
    const { authToken } = await signIn(origin);
    const names = Array.from({ length: 8 }, (_, index) => `p${index}@example.org`);
    const replies = await Promise.all(
      names.map((login) =>
        post(origin, signUpUser.path, { firstName: 'P', lastName: 'Q', email: login, password: PASSWORD }, authToken),
      ),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await stop(first, 'SIGKILL')).toMatchObject({ code: 'SIGKILL' });

    const second = start();
    const again = (await ready(second)).origin;
    const users = getAllUsers.reply.parse((await post(again, getAllUsers.path, {}, authToken)).body).res;
    expect(users.map(({ identifier }) => identifier).toSorted()).toEqual([email, ...names].toSorted());
    expect((await signIn(again)).role).toBe('admin');
    expect(await stop(second, 'SIGTERM')).toMatchObject({ code: 0 });
  });

  test('a second process on the same data is refused, says why, and does the first no harm', async () => {
    const first = start();
    const { origin } = await ready(first);
    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.errors()).toContain(`${dataDir} is in use by process ${first.child.pid}. Stop it, or set DATA_DIR.`);
    expect(second.errors()).not.toMatch(/\n\s+at /u);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect((await signUp(origin)).status).toBe(200);
    expect(await stop(first, 'SIGTERM')).toMatchObject({ code: 0 });
    await ready(start());
  });

  test('a port that is taken is told in a line, and the data is free again', async () => {
    const first = start();
    const { origin } = await ready(first);
    const otherDir = mkdtempSync(join(tmpdir(), 'pressel-process-'));
    const second = start({ PORT: new URL(origin).port, DATA_DIR: otherDir });
    expect(await second.ended).toBe(1);
    expect(second.errors()).toMatch(/^.*EADDRINUSE.*\n$/u);
    await ready(start({ DATA_DIR: otherDir }));
    rmSync(otherDir, { recursive: true, force: true });
  });

  test('a faulty environment lists all its faults and starts nothing', async () => {
    const run = start({ PORT: 'x', SIGNUP: 'open', PUBLIC_URL: 'nowhere', TURN_URLS: 'turn:x' });
    expect(await run.ended).toBe(1);
    for (const name of ['PORT', 'SIGNUP', 'PUBLIC_URL', 'TURN_SECRET']) expect(run.errors()).toContain(`  - ${name}: `);
    expect(run.errors()).not.toMatch(/\n\s+at /u);
    expect(run.output()).toBe('');
  });

  test('an unreachable PostgreSQL is told, and the process ends', async () => {
    const run = start({ DATABASE_URL: 'postgres://nobody:geheim@127.0.0.1:1/x' });
    expect(await run.ended).toBe(1);
    expect(run.errors()).toContain('ECONNREFUSED');
    expect(run.errors()).not.toContain('geheim');
  });

  test('a signal during the start ends it too', async () => {
    const run = start();
    await waitUntil(() => run.child.pid !== undefined);
    const { code, ms } = await stop(run, 'SIGTERM');
    expect([0, 'SIGTERM']).toContain(code);
    expect(ms).toBeLessThan(STOP_MS);
    await ready(start());
  });
});
