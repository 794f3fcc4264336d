import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startCluster } from '#src/db/embedded/cluster.ts';
import { findPrograms } from '#src/db/embedded/programs.ts';
import { writeBackup } from '#src/maintenance/backup.ts';
import type { Installation } from '#src/maintenance/connect.ts';
import { moveDatabase } from '#src/maintenance/move-database.ts';
import type { FileLocation } from '#src/maintenance/stored-files.ts';
import { ask, CONTENT, maintain, makeEmptyDatabase, messages, readValue, startOn } from './installations.ts';
import { makeGivenDatabase } from './test-database.ts';
import { waitUntil } from './wait-until.ts';

let dir: string;
let source: Installation & FileLocation;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pressel-move-'));
  source = { dataDir: join(dir, 'data'), databaseUrl: await makeGivenDatabase(), s3: null };
  await ask(source.databaseUrl, CONTENT);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function move(url: string) {
  const lines: string[] = [];
  const moved = await moveDatabase(source, url, (line) => lines.push(line));
  return { ...moved, lines };
}
const text = (url: string | null) => readValue(url, `string_agg(u::text, ',' order by id) from users u`);

/** Forwards a client's data to the tests' PostgreSQL, up to a number of bytes. */
async function openGate(bytes: number) {
  const { host, port } = inject('cluster');
  const sockets = new Set<Socket>();
  const full = Promise.withResolvers<void>();
  let passed = 0;
  const server = createServer((near) => {
    const far = connect(`${host}/.s.PGSQL.${port}`);
    for (const socket of [near, far]) sockets.add(socket.on('error', () => undefined));
    near.on('close', () => far.destroy());
    near.on('data', (chunk) => {
      passed += chunk.length;
      if (passed <= bytes) far.write(chunk);
      else full.resolve();
    });
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    port: (server.address() as AddressInfo).port,
    full: full.promise,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

describe('[FILE22] a move that is cut', () => {
  /** More than all tables before `messages` have. */
  const BYTES_BEFORE = 300_000;
  /** Runs an operator's command whose connection to the target breaks before everything is copied. */
  async function cutMove(target: string, how: 'killed' | 'lost') {
    const gate = await openGate(BYTES_BEFORE);
    const url = new URL(target);
    url.search = '';
    url.host = `127.0.0.1:${gate.port}`;
    const env = { DATA_DIR: source.dataDir, DATABASE_URL: String(source.databaseUrl) };
    const { child, ended } = maintain(env, 'admin', 'move-to', url.href);
    const early = ended.then(({ said }) => Promise.reject(new Error(`It ended before: ${said}`)));
    await Promise.race([gate.full, early]);
    early.catch(() => undefined);
    if (how === 'killed') child.kill('SIGKILL');
    else gate.cut();
    const end = await ended;
    gate.cut();
    return end;
  }
  const half = (url: string) => readValue(url, 'cardinality(whole) from drizzle.half_moved');

  test.each(['killed', 'lost'] as const)(
    '%s in the middle, is a database that nobody serves, and goes on',
    async (how) => {
      await ask(source.databaseUrl, messages(5_000));
      const target = await makeEmptyDatabase();
      const cut = await cutMove(target, how);
      if (how === 'killed') expect(cut.status).toBe('SIGKILL');
      else {
        expect(cut.status).toBe(1);
        expect(cut.said).toMatch(/\nThe move stopped: .*run the same command again: it goes on\.$/u);
      }
      const whole = Number(await half(target));
      expect(whole).toBeGreaterThan(0);
      expect(await readValue(target, 'count(*)::int from messages')).toBe(0);
      const refusal = 'holds a part of an installation that is being moved';
      await expect(startOn(target)).rejects.toThrow(refusal);
      await expect(writeBackup({ ...source, databaseUrl: target }, join(dir, 'kept'), '1')).rejects.toThrow(refusal);
      const { lines } = await move(target);
      expect(lines[0]).toMatch(new RegExp(`^${whole} of \\d+ tables were brought before`, 'u'));
      expect(lines).toContain('messages: 5000 rows');
      expect(lines).not.toContain('activities: 300 rows');
      expect(await text(target)).toBe(await text(source.databaseUrl));
      await startOn(target);
    },
  );

  test('leaves the installation to be used; what was stored since is moved, too', async () => {
    await ask(source.databaseUrl, messages(5_000));
    const target = await makeEmptyDatabase();
    await cutMove(target, 'killed');
    await startOn(source.databaseUrl);
    await ask(source.databaseUrl, `update users set first_name = 'Later'; update activities set address = '::1'`);
    const { lines } = await move(target);
    expect(lines).toContain('Both sides differ in activities (another content): beginning anew.');
    expect(await text(target)).toBe(await text(source.databaseUrl));
    await startOn(target);
  });
});

test('[FILE22] a disk that is full stops a move, which goes on when there is room', { timeout: 240_000 }, async ({
  skip,
}) => {
  const disk = join(dir, 'disk');
  try {
    execFileSync('mkdir', [disk]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    return skip('Only root may mount a disk of its own');
  }
  const log = { debug: () => undefined, warn: () => undefined, error: () => undefined };
  const settings = { max_wal_size: '32MB', min_wal_size: '32MB' };
  const cluster = await startCluster({
    programs: await findPrograms(),
    folder: join(disk, 'pg'),
    isDurable: false,
    log,
    settings,
  });
  try {
    const { user, host, port } = cluster.connection;
    const target = `postgres://${user}@localhost:${port}/postgres?host=${encodeURIComponent(String(host))}`;
    await ask(source.databaseUrl, messages(20_000));
    const { bavail, bsize } = await statfs(disk);
    await writeFile(join(disk, 'filler'), Buffer.alloc(bavail * bsize - 6_000_000));
    await expect(move(target)).rejects.toThrow(/^The move stopped: .*run the same command again/u);
    await rm(join(disk, 'filler'));
    // PostgreSQL died if there was no room for its own log; then it is started again.
    await waitUntil(() => ask(target, 'select').then(Boolean, () => false));
    const { lines } = await move(target);
    expect(lines).toContain('messages: 20000 rows');
    await startOn(target);
  } finally {
    await cluster.stop();
    execFileSync('umount', [disk]);
  }
});

test('[FILE20] a hundred thousand rows are moved', async () => {
  await ask(source.databaseUrl, messages(100_000));
  const target = await makeEmptyDatabase();
  const begun = performance.now();
  const { rows } = await move(target);
  process.stderr.write(`${rows} rows moved and compared in ${Math.round(performance.now() - begun)} ms\n`);
  expect(await readValue(target, 'count(*)::int from messages')).toBe(100_000);
});
