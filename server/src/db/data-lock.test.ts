import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
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

  describe('once it is held', () => {
    beforeEach(() => void vi.useFakeTimers({ now: Date.now() }));
    afterEach(() => void vi.useRealTimers());
    const hold = async () => {
      const onLost = vi.fn();
      const onTrouble = vi.fn();
      return { lock: await lockDataDir(dir, { onLost, onTrouble }), onLost, onTrouble };
    };
    /** The file can't be reached by its path: `stat`, `open` and `utimes` fail alike. */
    const hide = () => {
      renameSync(path, `${path}.hidden`);
      symlinkSync(path, path);
    };
    const show = () => renameSync(`${path}.hidden`, path);

    test('a lock with another text is lost: told once, and left to whoever has it now', async () => {
      const { lock, onLost } = await hold();
      vi.advanceTimersByTime(20_000);
      expect(onLost).not.toHaveBeenCalled();
      writeFileSync(path, 'somebody else');
      vi.advanceTimersByTime(20_000);
      lock.release();
      expect(onLost.mock.calls).toEqual([['taken']]);
      expect(readFileSync(path, 'utf8')).toBe('somebody else');
    });

    test('a lock that was deleted is lost, and nobody can have taken it yet', async () => {
      const { lock, onLost } = await hold();
      rmSync(path);
      vi.advanceTimersByTime(20_000);
      lock.release();
      expect(onLost.mock.calls).toEqual([['gone']]);
    });

    test('a lock that is gone after this process stood still may have been taken', async () => {
      const { lock, onLost } = await hold();
      rmSync(path);
      vi.setSystemTime(Date.now() + 60_000);
      vi.advanceTimersByTime(5_000);
      lock.release();
      expect(onLost.mock.calls).toEqual([['taken']]);
    });

    test('a lock that can’t be reached for a moment is tried again, told each time, and not lost', async () => {
      const { lock, onLost, onTrouble } = await hold();
      hide();
      vi.advanceTimersByTime(7_000);
      expect(onTrouble).toHaveBeenCalledWith(expect.objectContaining({ code: 'ELOOP' }));
      const failures = onTrouble.mock.calls.length;
      expect(failures).toBeGreaterThan(1);
      show();
      vi.advanceTimersByTime(60_000);
      expect(onTrouble).toHaveBeenCalledTimes(failures);
      expect(onLost).not.toHaveBeenCalled();
      lock.release();
      expect(existsSync(path)).toBe(false);
    });

    test('a lock that stays out of reach is lost in time to end in order before it is stale', async () => {
      const { lock, onLost } = await hold();
      hide();
      vi.advanceTimersByTime(9_000);
      expect(onLost).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1_000);
      expect(onLost.mock.calls).toEqual([['unreachable']]);
      lock.release();
    });

    test('a lock whose file can’t be opened is held as long as nobody else touches it', async () => {
      const { lock, onLost, onTrouble } = await hold();
      vi.advanceTimersByTime(2_500);
      const { mtime } = statSync(path);
      renameSync(path, `${path}.hidden`);
      // Opening a folder fails, just as opening any file does once a process has no descriptors left.
      mkdirSync(path);
      utimesSync(path, mtime, mtime);
      vi.advanceTimersByTime(3_600_000);
      expect(onLost).not.toHaveBeenCalled();
      expect(onTrouble).not.toHaveBeenCalled();
      lock.release();
    });
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
    // Nobody refreshes the lock any more: it is watched until that is certain.
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
