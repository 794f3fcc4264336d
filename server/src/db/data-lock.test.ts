import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { lockDataDir } from './data-lock.ts';

describe('the lock of a data directory', () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'pressel-lock-'));
    path = join(dir, 'pressel.lock');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));
  const age = (ms: number) => {
    const then = new Date(Date.now() - ms);
    utimesSync(path, then, then);
  };

  test('names this process while it is held, and is gone after', async () => {
    const lock = await lockDataDir(dir);
    expect(readFileSync(path, 'utf8')).toMatch(new RegExp(`^${process.pid}@${hostname()} `, 'u'));
    lock.release();
    expect(existsSync(path)).toBe(false);
    lock.release();
  });

  test('of another living process is respected, and the refusal says whose and what to do', async () => {
    writeFileSync(path, String(process.ppid));
    await expect(lockDataDir(dir)).rejects.toThrow(
      `The data directory ${dir} is in use by process ${process.ppid}. Stop it, or set DATA_DIR.`,
    );
    expect(readFileSync(path, 'utf8')).toBe(String(process.ppid));
  });

  test('of a process that is gone is taken over at once', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    writeFileSync(path, String(child.pid));
    (await lockDataDir(dir)).release();
  });

  test('that nobody refreshed is taken over, though the number is that of a living process', async () => {
    writeFileSync(path, String(process.ppid));
    age(16_000);
    (await lockDataDir(dir)).release();
  });

  test('of a process that lives on is respected, however long it has been stopped', async () => {
    const lock = await lockDataDir(dir);
    age(3_600_000);
    await expect(lockDataDir(dir)).rejects.toThrow(`in use by process ${process.pid}. Stop it`);
    lock.release();
  });

  test('of an earlier process with a living one’s number is nobody’s, where that can be told', async ({ skip }) => {
    skip(!existsSync('/proc/self/stat'), 'No /proc tells when a process started');
    writeFileSync(path, `${process.ppid}@${hostname()} 1 x`);
    (await lockDataDir(dir)).release();
  });

  test('that was taken away is noticed, once, and left to whoever has it now', async () => {
    vi.useFakeTimers();
    const onLost = vi.fn();
    const lock = await lockDataDir(dir, onLost);
    vi.advanceTimersByTime(20_000);
    expect(onLost).not.toHaveBeenCalled();
    writeFileSync(path, 'somebody else');
    vi.advanceTimersByTime(20_000);
    lock.release();
    expect(onLost).toHaveBeenCalledOnce();
    expect(readFileSync(path, 'utf8')).toBe('somebody else');
    rmSync(path);
    const gone = await lockDataDir(dir, onLost);
    rmSync(path);
    vi.advanceTimersByTime(20_000);
    expect(onLost).toHaveBeenCalledTimes(2);
    gone.release();
    vi.useRealTimers();
  });

  const here = `${process.ppid}@${hostname()}`;
  test.skipIf(!existsSync('/proc/self/ns/pid')).each([
    ['of another name', `${process.pid}@elsewhere 1 x`],
    ['of the same name', `${here} 1 boot/pid:[1] x`],
  ])('of another container %s is respected while it is refreshed, whatever its number', async (_, mark) => {
    writeFileSync(path, mark);
    const refreshing = setInterval(() => age(0), 100);
    try {
      await expect(lockDataDir(dir)).rejects.toThrow('or in another container');
    } finally {
      clearInterval(refreshing);
    }
    expect(readFileSync(path, 'utf8')).toBe(mark);
    // Nobody refreshes it any more: it is watched until that is certain.
    age(14_500);
    (await lockDataDir(dir)).release();
  });

  test.each(['', 'nonsense', '-1', '0', '1.5', '99999999999'])('with %j inside is nobody’s', async (text) => {
    writeFileSync(path, text);
    (await lockDataDir(dir)).release();
  });

  test('cannot be had in a directory that does not exist', async () => {
    await expect(lockDataDir(join(dir, 'none'))).rejects.toThrow('ENOENT');
  });
});
