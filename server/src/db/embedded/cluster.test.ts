import { existsSync } from 'node:fs';
import { chown, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { waitUntil } from '#test/wait-until.ts';
import { type Cluster, type ClusterOptions, startCluster } from './cluster.ts';
import { chooseIdentity } from './identity.ts';
import { readPostmaster } from './postmaster.ts';
import { findPrograms } from './programs.ts';
import { runServer, type ServerLog } from './server-run.ts';

const NOBODY = 65_534;
const NAMELESS = 54_321;

const createLog = () => ({ debug: vi.fn<Said>(), warn: vi.fn<Said>(), error: vi.fn<Said>() });
type Said = ServerLog['debug'];

describe('the PostgreSQL that we start', { timeout: 120_000 }, () => {
  let programs: string;
  /** A complete data folder of a stopped server, to be copied: making one takes a second. */
  let sample: string;
  let dir: string;
  let folder: string;
  let log: ReturnType<typeof createLog>;
  let started: { stop(): Promise<void> }[];

  const start = async (more: Partial<ClusterOptions> = {}): Promise<Cluster> => {
    const cluster = await startCluster({ programs, folder, isDurable: false, log, ...more });
    started.push(cluster);
    return cluster;
  };
  const ask = async (cluster: Cluster, statement: string): Promise<string> => {
    const client = new pg.Client(cluster.connection);
    client.on('error', () => undefined);
    await client.connect();
    const { rows } = await client.query<string[]>({ text: statement, rowMode: 'array' });
    await client.end();
    return String(rows.at(-1)?.[0]);
  };
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  /** Finds a process of the server by its title. */
  const helperOf = async (pid: number, name: string): Promise<number> => {
    const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
    for (const child of children) {
      if ((await readFile(`/proc/${child}/cmdline`, 'utf8')).includes(name)) return Number(child);
    }
    throw new Error(`The server has no ${name}`);
  };

  beforeAll(async () => {
    programs = await findPrograms();
    sample = await mkdtemp(join(tmpdir(), 'pressel-sample-'));
    const cluster = await startCluster({
      programs,
      folder: join(sample, 'postgres'),
      isDurable: false,
      log: createLog(),
    });
    await cluster.stop();
  });
  afterAll(() => rm(sample, { recursive: true, force: true }));
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pressel-db-'));
    folder = join(dir, 'postgres');
    log = createLog();
    started = [];
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const { stop } of started) await stop();
    await rm(dir, { recursive: true, force: true });
  });
  const takeSample = () => cp(join(sample, 'postgres'), folder, { recursive: true, preserveTimestamps: true });

  test('is made on the first start, durable, and reached by this user alone', async () => {
    const cluster = await start({ isDurable: true });
    await ask(cluster, 'create table kept as select 42 as n');
    expect(await ask(cluster, 'show fsync')).toBe('on');
    expect(await ask(cluster, 'show synchronous_commit')).toBe('on');
    expect(await ask(cluster, 'show listen_addresses')).toBe('');
    expect(cluster.connection.host).toBe(folder);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await cluster.stop();
    await cluster.stop();
    expect(await readdir(dir)).toEqual(['postgres']);
    expect(await ask(await start(), 'select n from kept')).toBe('42');
    expect(log.error).not.toHaveBeenCalled();
    expect(log.warn).not.toHaveBeenCalled();
  });

  test('takes what an interrupted first start left for nothing, and leaves nothing of its own', async () => {
    const unfinished = `${folder}.new-abc123`;
    await mkdir(unfinished);
    await writeFile(join(unfinished, 'PG_VERSION'), '18\n');
    const ending = new AbortController();
    const interrupted = start({ signal: ending.signal });
    await waitUntil(async () => (await readdir(dir)).some((name) => name !== 'postgres.new-abc123'));
    ending.abort();
    await expect(interrupted).rejects.toThrow('abort');
    expect(await readdir(dir)).toEqual([]);
    expect(await ask(await start(), 'select 1')).toBe('1');
  });

  test.each([['PG_VERSION'], ['global/pg_control'], ['global'], ['base'], ['pg_wal']])(
    'never starts empty over data without its %s',
    async (part) => {
      await takeSample();
      await rm(join(folder, part), { recursive: true });
      const before = await readdir(folder, { recursive: true });
      await expect(start()).rejects.toThrow(
        /is not a whole database any more: .* is missing\. Move that folder away; then restore a backup/u,
      );
      expect(await readdir(folder, { recursive: true })).toEqual(before);
    },
  );

  test('says in a sentence what it makes of damaged data, and leaves it as it was', async () => {
    await takeSample();
    const control = join(folder, 'global/pg_control');
    await writeFile(control, Buffer.alloc(8192, 7));
    await expect(start()).rejects.toThrow(/does not start on .*: (FATAL|PANIC): .* restore a backup/u);
    expect(await readFile(control)).toEqual(Buffer.alloc(8192, 7));
  });

  test('refuses data of another major version, and says how to bring it over', async () => {
    await takeSample();
    await writeFile(join(folder, 'PG_VERSION'), '17\n');
    await expect(start()).rejects.toThrow(
      `${folder} was made by PostgreSQL 17, and this Pressel brings PostgreSQL 18. Make a backup`,
    );
  });

  test('ends a server that was left behind, and is the only one', async () => {
    await takeSample();
    const identity = await chooseIdentity(programs, folder);
    const settings = { listen_addresses: '', unix_socket_directories: folder };
    const leftover = runServer({ programs, folder, settings, identity, log });
    await leftover.ready;
    const cluster = await start();
    expect(cluster.pid).not.toBe(leftover.pid);
    expect(isRunning(leftover.pid)).toBe(false);
    expect((await readPostmaster(folder))?.pid).toBe(cluster.pid);
  });

  test('is ended though one of its helpers hangs, by whom it belongs to and by who finds it', async () => {
    await takeSample();
    const other = join(dir, 'other', 'postgres');
    await cp(folder, other, { recursive: true, preserveTimestamps: true });
    const identity = await chooseIdentity(programs, other);
    const settings = { listen_addresses: '', unix_socket_directories: other };
    const leftover = runServer({ programs, folder: other, settings, identity, log });
    await leftover.ready;
    const cluster = await start();
    // An orderly end waits for the checkpointer.
    for (const pid of [leftover.pid, cluster.pid]) process.kill(await helperOf(pid, 'checkpointer'), 'SIGSTOP');
    await Promise.all([cluster.stop(), start({ folder: other })]);
    expect([cluster.pid, leftover.pid].filter(isRunning)).toEqual([]);
  });

  test('is not kept from starting by the number of a dead server that became another’s', async () => {
    await takeSample();
    await writeFile(
      join(folder, 'postmaster.pid'),
      `${process.ppid}\n${folder}\n1\n5432\n${folder}\n\n  1 1\nready   \n`,
    );
    await writeFile(join(folder, '.s.PGSQL.5432.lock'), `${process.ppid}\n${folder}\n1\n5432\n${folder}\n`);
    expect(await ask(await start(), 'select 1')).toBe('1');
  });

  test('has its socket elsewhere when the path of its data is too long for one', async () => {
    dir = join(dir, 'x'.repeat(120));
    await mkdir(dir);
    folder = join(dir, 'postgres');
    await takeSample();
    const cluster = await start();
    const place = String(cluster.connection.host);
    expect(place).not.toContain('xxx');
    expect((await lstat(place)).mode & 0o777).toBe(0o700);
    expect(await ask(cluster, 'select 1')).toBe('1');
    await cluster.stop();
    expect(existsSync(place)).toBe(false);
    dir = dirname(dir);
  });

  test('is started again when it dies, and given up when it dies again and again', async () => {
    await takeSample();
    const onLost = vi.fn();
    const cluster = await start({ onLost });
    for (let death = 0; death < 3; death += 1) {
      const { pid } = cluster;
      process.kill(pid, 'SIGKILL');
      await waitUntil(() => cluster.pid !== pid);
      expect(await ask(cluster, 'select 1')).toBe('1');
    }
    expect(onLost).not.toHaveBeenCalled();
    process.kill(cluster.pid, 'SIGKILL');
    await waitUntil(() => onLost.mock.calls.length === 1);
    expect(log.error).toHaveBeenCalledTimes(4);
  });

  test('logs nothing of what is asked of it, not even when that fails', async () => {
    await takeSample();
    const cluster = await start();
    await expect(ask(cluster, `select 'geheim'::int`)).rejects.toThrow('invalid input');
    await cluster.stop();
    expect(JSON.stringify([log.debug.mock.calls, log.warn.mock.calls])).not.toContain('geheim');
  });

  describe.skipIf(process.getuid?.() !== 0)('started by root', () => {
    test('runs in a namespace, so that its files are root’s', async ({ skip }) => {
      skip(!(await hasNamespaces()), 'No namespaces here');
      await start();
      expect((await stat(folder)).uid).toBe(0);
      expect((await stat(join(folder, 'PG_VERSION'))).uid).toBe(0);
    });

    test('runs as nobody where there are no namespaces', async () => {
      vi.stubEnv('PATH', '/nowhere');
      // Temporary folders are closed to others.
      await chown(dir, NOBODY, NOBODY);
      const cluster = await start();
      expect((await stat(folder)).uid).toBe(NOBODY);
      expect(await ask(cluster, 'select 1')).toBe('1');
      await cluster.stop();
      vi.unstubAllEnvs();
      expect(await ask(await start(), 'select 1')).toBe('1');
      expect((await stat(join(folder, 'global/pg_control'))).uid).toBe(NOBODY);
    });

    test('says what to do where neither is possible', async () => {
      vi.stubEnv('PATH', '/nowhere');
      await expect(start()).rejects.toThrow(/refuses to run as root.* Start Pressel as an ordinary user/u);
      expect(await readdir(dir)).toEqual([]);
    });

    test('says which user has no name, without which no data is made', async () => {
      await mkdir(folder);
      for (const place of [dir, folder]) await chown(place, NAMELESS, NAMELESS);
      await expect(start()).rejects.toThrow(
        /could not make a new database: .* user ID 54321: .*Nothing was left behind/u,
      );
      expect(await readdir(dir)).toEqual(['postgres']);
    });

    const hasNamespaces = () => chooseIdentity(programs, folder).then(({ spawn }) => spawn.uid === undefined);
  });
});
