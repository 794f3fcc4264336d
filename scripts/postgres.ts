import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installPackages } from './packages.ts';

export interface TestPostgres {
  url: string;
  stop(): Promise<void>;
}

const START_LIMIT_MS = 20_000;
const POLL_MS = 100;

/**
 * Starts a throw-away PostgreSQL for the tests, from `TEST_DATABASE_URL`, the machine's own binaries, or (as root)
 * the system's package. Null when there is none.
 */
export async function startPostgres(): Promise<TestPostgres | null> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== '') return { url: given, stop: async () => undefined };
  const bin = await findBinaries();
  return bin === null ? null : startCluster(bin);
}

async function findBinaries(): Promise<string | null> {
  const look = () =>
    [...globSync('/usr/lib/postgresql/*/bin'), '/opt/homebrew/bin', '/usr/local/pgsql/bin', '/usr/bin'].find(
      (dir) => existsSync(join(dir, 'initdb')) && existsSync(join(dir, 'postgres')),
    ) ?? null;
  const found = look();
  if (found !== null || process.env.CI === undefined) return found;
  await installPackages(['postgresql']);
  return look();
}

async function startCluster(bin: string): Promise<TestPostgres> {
  const dir = mkdtempSync(join(tmpdir(), 'pressel-pg-'));
  // PostgreSQL refuses to run as root.
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(dir, owner.uid, owner.gid);
  const data = join(dir, 'data');
  const port = await freePort();
  const flags = ['-D', data, '-U', 'pressel', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  execFileSync(join(bin, 'initdb'), flags, { ...owner, cwd: dir, stdio: 'ignore' });
  const settings = ['fsync=off', 'listen_addresses=127.0.0.1', `unix_socket_directories=${dir}`, 'max_connections=200'];
  const server = spawn(
    join(bin, 'postgres'),
    ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...owner, cwd: dir, stdio: 'ignore' },
  );
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    server.kill('SIGINT');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  const { default: pg } = await import('pg');
  const url = `postgres://pressel@127.0.0.1:${port}/postgres`;
  for (const start = Date.now(); ; await delay(POLL_MS)) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return { url, stop };
    } catch (error) {
      if (server.exitCode !== null || Date.now() - start > START_LIMIT_MS) {
        await stop();
        throw new Error('The PostgreSQL for the tests did not start', { cause: error });
      }
    }
  }
}

const idOf = (flag: '-u' | '-g'): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));

function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer();
  probe.once('error', reject);
  probe.listen(0, '127.0.0.1', () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}
