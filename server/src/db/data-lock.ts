import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const REFRESH_MS = 2_500;
const STALE_MS = 15_000;
/** How long an orderly end of the process may take. */
const ORDERLY_END_MS = 5_000;
/** How often a lock from elsewhere is looked at, until it is refreshed or stale. */
const WATCH_MS = 500;

export interface DataLock {
  /** Gives the directory back. Idempotent; leaves a lock alone that has become another's. */
  release(): void;
}

/** Another process works in the data directory; the message names both and says what to do. */
export class DataInUseError extends Error {}

/**
 * Who wrote a lock: `started` tells a process from a later one with its number, `place` a machine and a container from others
 * of the same name (their numbers mean nothing here); each empty where nobody can tell.
 */
interface Holder {
  pid: number;
  host: string;
  started: string;
  place: string;
}

/**
 * How a lock was lost. `taken`: another process may write to the directory now, so that nothing more must be written.
 * `gone`: somebody deleted it. `unreachable`: it could not be refreshed. In both cases an orderly end is over before
 * another process may start.
 */
export type LockLoss = 'taken' | 'gone' | 'unreachable';

export interface LockWatch {
  /** Called once. */
  onLost(how: LockLoss): void;
  /** Called when the lock could not be refreshed, which is tried again. */
  onTrouble(error: unknown): void;
}

const UNWATCHED: LockWatch = { onLost: () => undefined, onTrouble: () => undefined };

/**
 * Keeps a second process out of a data directory, and tells a database that somebody uses from one that a killed process
 * left behind. PostgreSQL's own lock does neither: it says that a server runs, not for whom, and it doesn't see a server
 * in another container, which would write to the same files. On this machine a lock holds as long as its process lives,
 * even if the process is stopped for an hour. For a lock of another machine or container we can only see whether it is
 * being refreshed, so we watch it until it is, or until it is stale.
 * @throws DataInUseError
 */
export async function lockDataDir(dataDir: string, { onLost, onTrouble }: LockWatch = UNWATCHED): Promise<DataLock> {
  const path = join(dataDir, 'pressel.lock');
  const mark = `${process.pid}@${hostname()} ${startOf(process.pid)} ${ownPlace()} ${randomUUID()}`;
  await take(path, mark, dataDir);

  let refreshedAt = Date.now();
  let touched = statSync(path).mtimeMs;
  /** @returns how the lock was lost, or null while it is ours, as far as can be told */
  const refresh = (): LockLoss | null => {
    try {
      // A file that nobody else touched is ours. Opening it would fail where descriptors have run out, which says nothing.
      if (statSync(path).mtimeMs !== touched && readFileSync(path, 'utf8') !== mark) return 'taken';
      const now = new Date();
      utimesSync(path, now, now);
      touched = statSync(path).mtimeMs;
      refreshedAt = now.getTime();
      return null;
    } catch (error) {
      const ageMs = Date.now() - refreshedAt;
      if (ageMs >= STALE_MS) return 'taken';
      if (isFault(error, 'ENOENT')) return 'gone';
      onTrouble(error);
      return ageMs >= STALE_MS - ORDERLY_END_MS ? 'unreachable' : null;
    }
  };
  const timer = setInterval(() => {
    const loss = refresh();
    if (loss === null) return;
    clearInterval(timer);
    onLost(loss);
  }, REFRESH_MS);
  timer.unref();
  return {
    release() {
      clearInterval(timer);
      try {
        if (readFileSync(path, 'utf8') === mark) rmSync(path, { force: true });
      } catch {
        // What can't be read or removed is left: its process is gone, so the next one takes it over.
      }
    },
  };
}

/** Of several that find a lock nobody holds any more exactly one gets it. */
async function take(path: string, mark: string, dataDir: string): Promise<void> {
  while (!put(path, mark)) {
    const found = read(path);
    if (found === null) continue;
    const holder = parse(found.text);
    if (isElsewhere(holder) ? await isRefreshed(path, found) : isHeld(holder, found.isFresh)) {
      const where = isElsewhere(holder) ? ` on ${holder.host}, or in another container` : '';
      throw new DataInUseError(
        `The data directory ${dataDir} is in use by process ${holder.pid}${where}. Stop it, or set DATA_DIR.`,
      );
    }
    // Another may have taken it while it was watched.
    if (read(path)?.text === found.text) remove(path, found.text);
  }
}

/**
 * Puts a lock in its place, with all of its text at once: one that stood there empty for a moment would be taken for
 * nobody's. @returns whether there was none
 */
function put(path: string, mark: string): boolean {
  const whole = `${path}.${randomUUID()}`;
  writeFileSync(whole, mark);
  try {
    linkSync(whole, path);
    return true;
  } catch (error) {
    if (isFault(error, 'EEXIST')) return false;
    // Some disks (exFAT, some shared ones) know no second name of a file.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS'].some((code) => isFault(error, code))) throw error;
    return putInSteps(path, mark);
  } finally {
    rmSync(whole, { force: true });
  }
}

function putInSteps(path: string, mark: string): boolean {
  try {
    writeFileSync(path, mark, { flag: 'wx' });
    return true;
  } catch (error) {
    if (isFault(error, 'EEXIST')) return false;
    throw error;
  }
}

interface Found {
  text: string;
  /** When it was refreshed last, ms. */
  at: number;
  isFresh: boolean;
}

function read(path: string): Found | null {
  try {
    const at = statSync(path).mtimeMs;
    return { text: readFileSync(path, 'utf8'), at, isFresh: Date.now() - at < STALE_MS };
  } catch (error) {
    if (isFault(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Takes a stale lock away. Another may have done so and put its own there since it was read: that one is put back. */
function remove(path: string, text: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== text) linkSync(aside, path);
    rmSync(aside);
  } catch (error) {
    if (!isFault(error, 'ENOENT')) throw error;
  }
}

const isFault = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

function parse(text: string): Holder {
  // Earlier versions wrote no place: then the third is the last word.
  const [process = '', started = '', ...rest] = text.split(' ');
  const [pid, host = hostname()] = process.split('@');
  return { pid: Number(pid), host, started, place: rest.length > 1 ? (rest[0] ?? '') : '' };
}

const isElsewhere = ({ host, place }: Holder): boolean =>
  host !== hostname() || (place !== '' && ownPlace() !== '' && place !== ownPlace());

/** Watches a lock that only its own place can tell of, until it was refreshed, is stale, or gone. */
async function isRefreshed(path: string, first: Found): Promise<boolean> {
  for (let found: Found | null = first; found?.isFresh === true && found.text === first.text; found = read(path)) {
    if (found.at !== first.at) return true;
    await delay(WATCH_MS);
  }
  return false;
}

/** The machine since its last start, and the container: numbers of processes mean the same there. */
function ownPlace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

function isHeld({ pid, started }: Holder, isFresh: boolean): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return false;
  const known = startOf(pid);
  return started === '' || known === '' ? isFresh : started === known;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isFault(error, 'EPERM');
  }
}

/** When a process started, in ticks since the machine did (proc(5), stat, field 22); empty where there is no /proc. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
