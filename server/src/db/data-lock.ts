import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const REFRESH_MS = 2_500;
const STALE_MS = 15_000;
/** How long an orderly end of the process may take. */
const ORDERLY_END_MS = 5_000;
/** How often a foreign lock is checked until it is refreshed or stale. */
const WATCH_MS = 500;

export interface DataLock {
  /** Gives the directory back. Idempotent; leaves the lock alone if another process has it now. */
  release(): void;
}

/** Another process works in the data directory; the message names both and says what to do. */
export class DataInUseError extends Error {}

/**
 * The process that wrote a lock. `started` tells it from a later one with the same number. `place` tells its machine and
 * container from others of the same name, where process numbers mean something else. Each is empty where it is unknown.
 */
interface LockHolder {
  pid: number;
  host: string;
  started: string;
  place: string;
}

/**
 * How a lock was lost. `taken`: another process may write to the directory now, so this one must stop writing.
 * `gone`: somebody deleted it. `unreachable`: it could not be refreshed. In these two cases there is time for an orderly
 * end before another process may start.
 */
export type LockLoss = 'taken' | 'gone' | 'unreachable';

export interface LockWatch {
  /** Called once. */
  onLost(how: LockLoss): void;
  /** Called when the lock could not be refreshed; the refresh is tried again. */
  onTrouble(error: unknown): void;
}

const UNWATCHED: LockWatch = { onLost: () => undefined, onTrouble: () => undefined };

/**
 * Keeps a second process out of a data directory, and tells a database that somebody uses from one that a killed process
 * left behind. PostgreSQL's own lock does neither: it says that a server runs, not for whom, and it doesn't see a server
 * in another container, which would write to the same files. On this machine a lock holds as long as its process lives,
 * even if the process is stopped for an hour. For a lock of another machine or container we only see whether somebody
 * refreshes it. So we watch it until somebody does, or until it is stale.
 * @throws DataInUseError
 */
export async function lockDataDir(dataDir: string, { onLost, onTrouble }: LockWatch = UNWATCHED): Promise<DataLock> {
  const path = join(dataDir, 'pressel.lock');
  const mark = `${process.pid}@${hostname()} ${startOf(process.pid)} ${machineAndContainer()} ${randomUUID()}`;
  await take(path, mark, dataDir);

  let refreshedAt = Date.now();
  let touched = statSync(path).mtimeMs;
  /** @returns how the lock was lost, or null while it is ours, as far as can be told */
  const refresh = (): LockLoss | null => {
    try {
      // A file that nobody else touched is ours. Opening it would fail when descriptors run out, which proves nothing.
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
        // A lock that can't be read or removed stays: our process is gone by then, so the next one takes it over.
      }
    },
  };
}

/** When several processes find an abandoned lock, exactly one gets it. */
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
    // Another process may have taken the lock while we watched it.
    if (read(path)?.text === found.text) remove(path, found.text);
  }
}

/**
 * Puts a lock in its place with all of its text at once: other processes would take an empty one for abandoned.
 * @returns whether there was none
 */
function put(path: string, mark: string): boolean {
  const whole = `${path}.${randomUUID()}`;
  writeFileSync(whole, mark);
  try {
    linkSync(whole, path);
    return true;
  } catch (error) {
    if (isFault(error, 'EEXIST')) return false;
    // Some disks (exFAT, some shared ones) have no hard links.
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
  /** When it was last refreshed, ms. */
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

/** Removes a stale lock. If another process has replaced it since it was read, that new lock is put back. */
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

function parse(text: string): LockHolder {
  // Earlier versions wrote no place: their third word is the last one.
  const [process = '', started = '', ...rest] = text.split(' ');
  const [pid, host = hostname()] = process.split('@');
  return { pid: Number(pid), host, started, place: rest.length > 1 ? (rest[0] ?? '') : '' };
}

const isElsewhere = ({ host, place }: LockHolder): boolean =>
  host !== hostname() || (place !== '' && machineAndContainer() !== '' && place !== machineAndContainer());

/** Watches a lock of another machine or container until it is refreshed, stale or gone. */
async function isRefreshed(path: string, first: Found): Promise<boolean> {
  for (let found: Found | null = first; found?.isFresh === true && found.text === first.text; found = read(path)) {
    if (found.at !== first.at) return true;
    await delay(WATCH_MS);
  }
  return false;
}

/** This machine since its last start, and this container: process numbers are comparable only within both. */
function machineAndContainer(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

function isHeld({ pid, started }: LockHolder, isFresh: boolean): boolean {
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

/** When a process started, in ticks since the machine's start (proc(5), stat, field 22); empty where there is no /proc. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
