import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

const REFRESH_MS = 5_000;
const STALE_MS = 15_000;

export interface DataLock {
  release(): void;
}

/** Another process works in the data directory; the message names both and says what to do. */
export class DataInUseError extends Error {}

/**
 * Keeps a second process out of a data directory: the embedded database would be corrupted by two writers and
 * does not notice by itself. A lock is stale when its process is gone (killed) or has not refreshed it. Of a process
 * on another machine, or in another container, only the latter can be told.
 * @throws DataInUseError
 */
export function lockDataDir(dataDir: string): DataLock {
  const path = join(dataDir, 'pressel.lock');
  const mark = `${process.pid}@${hostname()}`;
  try {
    writeFileSync(path, mark, { flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const holder = readFileSync(path, 'utf8');
    if (holder !== mark && isAlive(holder) && Date.now() - statSync(path).mtimeMs < STALE_MS) {
      throw new DataInUseError(
        `The data directory ${dataDir} is in use by process ${holder}. Stop it, or set DATA_DIR.`,
        {
          cause: error,
        },
      );
    }
    writeFileSync(path, mark);
  }
  const timer = setInterval(() => {
    const now = new Date();
    utimesSync(path, now, now);
  }, REFRESH_MS);
  timer.unref();
  return {
    release() {
      clearInterval(timer);
      rmSync(path, { force: true });
    },
  };
}

function isAlive(holder: string): boolean {
  const [number, host = hostname()] = holder.split('@');
  if (host !== hostname()) return true;
  const pid = Number(number);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
