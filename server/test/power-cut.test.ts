import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, open, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { logIn, signUpUser } from '@pressel/contract/auth';
import { getAllUsers } from '@pressel/contract/users';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startCluster } from '#src/db/embedded/cluster.ts';
import { findPrograms } from '#src/db/embedded/programs.ts';
import { readManifest, writeBackup } from '#src/maintenance/backup.ts';
import { PASSWORD } from './build-test-app.ts';
import { readyServer, startServer } from './start-server.ts';

const run = promisify(execFile);
const DISK_BYTES = 400 * 1024 * 1024;
const WRITES = 40;

const NO_DISK = 'Only root may make a disk of its own; that commits are synced is then shown by the settings alone';

/**
 * Simulates a power cut on a separate disk (a file with an ext4 in it). A copy is taken while everything runs. It holds what was
 * written to the disk, and nothing that was only in memory. ext4 is told not to commit by itself, and PostgreSQL stands
 * still meanwhile. Where this user may not mount disks, the test says so and is skipped.
 */
describe('a power cut', { timeout: 240_000 }, () => {
  let dir: string;
  let cleanUps: (() => Promise<unknown>)[];
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pressel-power-'));
    cleanUps = [];
  });
  afterEach(async () => {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
    await rm(dir, { recursive: true, force: true });
  });

  /** Mounts a disk. @returns where, or null where this is not allowed */
  const mount = async (image: string): Promise<string | null> => {
    const place = `${image}.mounted`;
    await mkdir(place);
    try {
      await run('mount', ['-o', 'loop,commit=600', image, place]);
    } catch {
      return null;
    }
    cleanUps.push(() => run('umount', [place]));
    return place;
  };
  const newDisk = async (): Promise<string | null> => {
    const image = join(dir, 'disk');
    const file = await open(image, 'w');
    await file.truncate(DISK_BYTES);
    await file.close();
    try {
      await run('mkfs.ext4', ['-q', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image]);
    } catch {
      return null;
    }
    return mount(image);
  };
  /** @returns the disk as it would be found after the cut, mounted */
  const cut = async (folder: string): Promise<string> => {
    const pids = await processesIn(folder);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    await copyFile(join(dir, 'disk'), join(dir, 'found'));
    for (const pid of pids) process.kill(pid, 'SIGCONT');
    const found = await mount(join(dir, 'found'));
    if (found === null) throw new Error('The copy of the disk was not mounted');
    return found;
  };
  const server = async (place: string) => {
    const started = startServer({ DATA_DIR: join(place, 'data') });
    cleanUps.push(async () => {
      started.child.kill('SIGTERM');
      await started.ended;
    });
    const { origin } = await readyServer(started);
    return async (path: string, body: unknown, token = '') => {
      const response = await fetch(`${origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-access-token': token },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: await response.json() };
    };
  };
  const cluster = async (place: string, isDurable: boolean) => {
    const log = { debug: () => undefined, warn: () => undefined, error: () => undefined };
    const started = await startCluster({
      programs: await findPrograms(),
      folder: join(place, 'postgres'),
      isDurable,
      log,
    });
    cleanUps.push(() => started.stop());
    const client = new pg.Client(started.connection);
    await client.connect();
    cleanUps.push(() => client.end());
    return client;
  };

  test('a moment after the first start takes nothing of what was acknowledged', async ({ skip }) => {
    const disk = await newDisk();
    if (disk === null) return skip(NO_DISK);
    const post = await server(disk);
    const logins = Array.from({ length: WRITES }, (_, index) => `p${index}@example.org`);
    for (const email of logins) {
      const account = { firstName: 'P', lastName: 'Q', email, password: PASSWORD };
      expect((await post(signUpUser.path, account)).status).toBe(200);
    }
    const found = await cut(join(disk, 'data/postgres'));

    const again = await server(found);
    const credentials = { user_email: logins[0], user_password: PASSWORD };
    const { authToken } = logIn.reply.parse((await again(logIn.path, credentials)).body).user;
    const { res } = getAllUsers.reply.parse((await again(getAllUsers.path, {}, authToken)).body);
    expect(res.map(({ identifier }) => identifier).toSorted()).toEqual(logins.toSorted());
  });

  test('takes nothing of a backup that was called whole', async ({ skip }) => {
    const disk = await newDisk();
    if (disk === null) return skip(NO_DISK);
    const post = await server(dir);
    expect(
      (await post(signUpUser.path, { firstName: 'P', lastName: 'Q', email: 'p@example.org', password: 'x' })).status,
    ).toBe(200);
    const image = randomBytes(4_000_000);
    await mkdir(join(dir, 'data/files/messages'), { recursive: true });
    await writeFile(join(dir, 'data/files/messages/image'), image);
    await writeBackup({ dataDir: join(dir, 'data'), databaseUrl: null, s3: null }, join(disk, 'kept'), '2.0.2');
    const backup = join(await cut(disk), 'kept');
    expect((await readManifest(backup)).files).toMatchObject([{ file: 'files/messages/image' }]);
  });

  test('is what this test makes: without fsync not everything is there', async ({ skip }) => {
    const disk = await newDisk();
    if (disk === null) return skip(NO_DISK);
    const client = await cluster(disk, false);
    await client.query('create table written (n int)');
    for (let n = 0; n < WRITES; n += 1) await client.query('insert into written values ($1)', [n]);
    const found = await cut(join(disk, 'postgres'));
    const count = async () => {
      const after = await cluster(found, true);
      return Number((await after.query('select count(*) from written')).rows[0].count);
    };
    expect(await count().catch(() => 'nothing')).not.toBe(WRITES);
  });
});

/** Finds the server and its helpers: their working directory is the data folder. */
async function processesIn(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const isOurs = async (pid: string) =>
    (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === folder &&
    (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() === 'postgres';
  const ours = await Promise.all(pids.map(isOurs));
  return pids.filter((_, index) => ours[index]).map(Number);
}
