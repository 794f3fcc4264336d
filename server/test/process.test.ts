import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { logIn, signUpUser } from '@pressel/contract/auth';
import { getAllUsers } from '@pressel/contract/users';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectSocket } from './socket-client.ts';
import { readyServer, type ServerRun, startServer } from './start-server.ts';
import { copyDataFolder } from './test-database.ts';
import { waitUntil } from './wait-until.ts';

const PASSWORD = 'mot de passe';

/** The real process, as an installation runs it. */
describe('the process', { timeout: 180_000 }, () => {
  let dataDir: string;
  let runs: ServerRun[];
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'pressel-process-'));
    runs = [];
  });
  afterEach(async () => {
    for (const { child } of runs) child.kill('SIGKILL');
    await Promise.all(runs.map(({ ended }) => ended));
    await waitUntil(() => !existsSync(join(dataDir, 'postgres/postmaster.pid')));
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Spares a test the making of the database, unless the first start is its point. */
  const prepare = () => copyDataFolder(dataDir);
  const start = (env: NodeJS.ProcessEnv = {}, script?: string[]): ServerRun => {
    const run = startServer({ DATA_DIR: dataDir, ...env }, script);
    runs.push(run);
    return run;
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
  const stop = (run: ServerRun, signal: NodeJS.Signals) => {
    run.child.kill(signal);
    return run.ended;
  };

  test('says in one line where it is, and that the first to sign up becomes administrator, until somebody did', async () => {
    const first = start({ METRICS_PORT: '0' });
    const { origin, rest } = await readyServer(first);
    expect(rest).toBe(' — the first person to sign up becomes administrator');
    expect(first.output().trim().split('\n')).toHaveLength(1);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    const [, metricsPort] = /"port":(\d+),"msg":"metrics_ready"/u.exec(first.errors()) ?? [];
    const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    expect(await metrics.text(), 'OPS2').toContain('pressel_sockets 0');
    expect((await signUp(origin)).body).toMatchObject({ user: { role: 'admin' } });
    expect(await stop(first, 'SIGTERM')).toBe(0);
    expect((await readyServer(start())).rest).toBe('');
  });

  test('AUTH10: where others can reach it, the first account takes the code of the start line', async () => {
    await prepare();
    const run = start({ HOST: '0.0.0.0' });
    const line =
      /^Pressel is ready at http:\/\/0\.0\.0\.0(:\d+) — .* becomes administrator, with the setup code (\S+)$/mu;
    await waitUntil(() => line.test(run.output()) || run.child.exitCode !== null, 60_000);
    const [, port, setupCode] = line.exec(run.output()) ?? [];
    const origin = `http://127.0.0.1${port}`;
    expect((await signUp(origin)).status).toBe(403);
    const account = { firstName: 'Ana', lastName: 'Ruiz', email, password: PASSWORD, setupCode };
    expect((await post(origin, signUpUser.path, account)).body).toMatchObject({ user: { role: 'admin' } });
    expect(run.errors()).not.toContain(setupCode);
  });

  test('TLS3: with TLS=self it prints the fingerprint of the certificate that it shows, and ends in order', async () => {
    await prepare();
    const run = start({ TLS: 'self', HOST: '127.0.0.1' });
    const said = /ready at https:\/\/127\.0\.0\.1:(\d+) .*SHA-256 fingerprint: ([\dA-F:]{95})\n/su;
    await waitUntil(() => said.test(run.output()) || run.child.exitCode !== null, 60_000);
    const [, port, fingerprint] = said.exec(run.output()) ?? [];
    const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    // A server that ends may reset an open connection.
    socket.on('error', () => undefined);
    expect(socket.getPeerCertificate().fingerprint256).toBe(fingerprint);
    expect(await stop(run, 'SIGTERM')).toBe(0);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends it in order, by itself and not by force, open sockets or not',
    async (signal) => {
      await prepare();
      const run = start();
      const { origin } = await readyServer(run);
      await signUp(origin);
      const { authToken } = await signIn(origin);
      const socket = await connectSocket(origin, authToken);
      const idle = await fetch(`${origin}/healthz`, { headers: { connection: 'keep-alive' } });
      expect(idle.status).toBe(200);
      const code = await stop(run, signal);
      expect(code).toBe(0);
      // Not 'io server disconnect', after which clients do not come back.
      expect(['transport close', 'transport error']).toContain(await socket.disconnected);
      expect(run.errors()).not.toContain('"level":50');
    },
  );

  test('what was acknowledged is there after a kill, without waiting and without repair', async () => {
    await prepare();
    const first = start();
    const { origin } = await readyServer(first);
    await signUp(origin);
    const { authToken } = await signIn(origin);
    const names = Array.from({ length: 8 }, (_, index) => `p${index}@example.org`);
    const replies = await Promise.all(
      names.map((login) =>
        post(origin, signUpUser.path, { firstName: 'P', lastName: 'Q', email: login, password: PASSWORD }, authToken),
      ),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await stop(first, 'SIGKILL')).toBe('SIGKILL');

    const second = start();
    const again = (await readyServer(second)).origin;
    const users = getAllUsers.reply.parse((await post(again, getAllUsers.path, {}, authToken)).body).res;
    expect(users.map(({ identifier }) => identifier).toSorted()).toEqual([email, ...names].toSorted());
    expect((await signIn(again)).role).toBe('admin');
    expect(await stop(second, 'SIGTERM')).toBe(0);
  });

  test('a second process on the same data is refused, says why, and does the first no harm', async () => {
    await prepare();
    const first = start();
    const { origin } = await readyServer(first);
    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.errors()).toContain(`${dataDir} is in use by process ${first.child.pid}. Stop it, or set DATA_DIR.`);
    expect(second.errors()).not.toMatch(/\n\s+at /u);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect((await signUp(origin)).status).toBe(200);
    expect(await stop(first, 'SIGTERM')).toBe(0);
    await readyServer(start());
  });

  test('a port that is taken is told in a line, and the data is free again', async () => {
    await prepare();
    const first = start();
    const { origin } = await readyServer(first);
    const otherDir = mkdtempSync(join(tmpdir(), 'pressel-process-'));
    await copyDataFolder(otherDir);
    const second = start({ PORT: new URL(origin).port, DATA_DIR: otherDir });
    expect(await second.ended).toBe(1);
    expect(second.errors()).toMatch(/^.*EADDRINUSE.*\n$/u);
    await readyServer(start({ DATA_DIR: otherDir }));
    rmSync(otherDir, { recursive: true, force: true });
  });

  test.each(['unhandled_rejection', 'uncaught_exception'])(
    'a fault that nobody catches (%s) is logged without values, and ends it in order with an error',
    async (fault) => {
      await prepare();
      const run = start({}, ['faulty-server.ts', fault]);
      const { origin } = await readyServer(run);
      await signUp(origin);
      const socket = await connectSocket(origin, (await signIn(origin)).authToken);
      expect(await stop(run, 'SIGUSR2')).toBe(1);
      expect(['transport close', 'transport error']).toContain(await socket.disconnected);
      const lines = run
        .errors()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const faults = lines.filter(({ level }) => level === 60);
      expect(faults).toHaveLength(1);
      expect(faults[0].msg).toBe(fault);
      expect(JSON.stringify(faults)).toMatch(/insert into .*invalid input syntax for type uuid/u);
      expect(lines.at(-1).msg).toBe('stopped');
      expect(run.errors() + run.output()).not.toContain('Geheim');
    },
  );

  test('a data directory whose lock was deleted is left in order, with an error', async () => {
    await prepare();
    const run = start();
    await readyServer(run);
    rmSync(join(dataDir, 'pressel.lock'));
    expect(await run.ended).toBe(1);
    expect(run.errors()).toMatch(/"how":"gone","msg":"data_directory_lost".*"msg":"stopped"/su);
    await readyServer(start());
  });

  test('a faulty environment lists all its faults and starts nothing', async () => {
    const run = start({ PORT: 'x', SIGNUP: 'open', PUBLIC_URL: 'nowhere', TURN_URLS: 'turn:x' });
    expect(await run.ended).toBe(1);
    for (const name of ['PORT', 'SIGNUP', 'PUBLIC_URL', 'TURN_SECRET']) expect(run.errors()).toContain(`  - ${name}: `);
    expect(run.errors()).not.toMatch(/\n\s+at /u);
    expect(run.output()).toBe('');
  });

  test('an unreachable PostgreSQL is told, and the process ends; AUTH8: so is a proxy that is not believed', async () => {
    const exposed = { HOST: '0.0.0.0', PUBLIC_URL: 'https://radio.example.org' };
    const run = start({ DATABASE_URL: 'postgres://nobody:geheim@127.0.0.1:1/x', ...exposed });
    expect(await run.ended).toBe(1);
    expect(run.errors()).toMatch(/^Set TRUSTED_PROXIES to the address of your proxy: /u);
    expect(run.errors()).toContain('ECONNREFUSED');
    expect(run.errors()).not.toContain('geheim');
  });

  test('a signal during the start ends it too', async () => {
    const run = start();
    await waitUntil(() => run.child.pid !== undefined);
    const code = await stop(run, 'SIGTERM');
    expect([0, 'SIGTERM']).toContain(code);
    await readyServer(start());
  });
});
