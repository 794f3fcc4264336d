import { execFile } from 'node:child_process';
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DatabaseStartError } from './start-error.ts';

const execute = promisify(execFile);

/** The content of `postmaster.pid` while PostgreSQL runs, or after it was killed (pg_ctl(1) reads the same). */
export interface Postmaster {
  pid: number;
  port: number;
  /** The folder of its Unix socket, or the address it listens on. */
  host: string;
  isReady: boolean;
}

const LEFTOVER_LIMIT_MS = 30_000;
/** How long an orderly end may take. After it the server is ended at once, and repairs its data at the next start. */
export const ORDERLY_END_MS = 3_000;
const POLL_MS = 20;
const FILE = 'postmaster.pid';

export async function readPostmaster(folder: string): Promise<Postmaster | null> {
  const text = await readFile(join(folder, FILE), 'utf8').catch(() => '');
  const [pid, , , port, socketFolder = '', address = '', , status = ''] = text.split('\n');
  if (pid === undefined || !(Number(pid) > 0)) return null;
  const host = socketFolder.trim() === '' ? address.trim() : socketFolder.trim();
  return { pid: Number(pid), port: Number(port), host, isReady: status.trim() === 'ready' };
}

/**
 * Ends the server that a killed Pressel left behind, and waits for its end. The caller must hold the data directory's
 * lock: then a server that still runs there belongs to nobody.
 * @throws DatabaseStartError when it does not end
 */
export async function endLeftover(folder: string): Promise<void> {
  const begin = Date.now();
  let asked = '';
  for (;;) {
    const server = await readPostmaster(folder);
    const pids = await processesIn(folder, server);
    if (pids.length === 0) {
      // Their process numbers may be reused, and PostgreSQL would take the new processes for its server. After a power cut
      // this is likely: the same boot sequence gives out the same numbers.
      if (process.platform !== 'win32') await removeStaleLocks(folder);
      return;
    }
    const waitedMs = Date.now() - begin;
    const how = waitedMs < ORDERLY_END_MS ? 'SIGINT' : 'SIGQUIT';
    if (server !== null && pids.includes(server.pid) && asked !== `${server.pid} ${how}`) {
      asked = `${server.pid} ${how}`;
      askToEnd(server.pid, how);
    }
    if (waitedMs > LEFTOVER_LIMIT_MS) {
      throw new DatabaseStartError(
        `An earlier PostgreSQL (process ${pids.join(', ')}) still works in ${folder} and does not end. End it, then start again.`,
      );
    }
    await delay(POLL_MS);
  }
}

async function removeStaleLocks(folder: string): Promise<void> {
  const names = await readdir(folder);
  const stale = names.filter((name) => name === FILE || name.startsWith('.s.PGSQL.'));
  for (const name of stale) await rm(join(folder, name), { force: true });
}

/** PostgreSQL's processes in a folder: the server, or helpers that outlived it for a moment. */
async function processesIn(folder: string, server: Postmaster | null): Promise<number[]> {
  if (process.platform === 'linux') return processesSeen(await realpath(folder));
  if (server === null || process.platform === 'win32') return [];
  const args = await execute('ps', ['-p', String(server.pid), '-o', 'args=']).then(
    ({ stdout }) => stdout,
    () => '',
  );
  return args.includes(folder) ? [server.pid] : [];
}

async function processesSeen(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const isOurs = async (pid: string): Promise<boolean> => {
    const place = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    return place === folder && (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim() === 'postgres';
  };
  const ours = await Promise.all(pids.map(isOurs));
  return pids.filter((_, index) => ours[index]).map(Number);
}

/**
 * SIGINT is a fast shutdown: PostgreSQL ends connections and writes everything. SIGQUIT is an immediate one: it writes
 * nothing more, and kills hanging helpers after five seconds.
 */
export function askToEnd(pid: number, how: 'SIGINT' | 'SIGQUIT'): void {
  try {
    process.kill(pid, how);
  } catch {
    // It has ended meanwhile.
  }
}
