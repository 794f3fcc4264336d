import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startCluster } from './cluster.ts';
import { findPrograms } from './programs.ts';

/** Small disks in memory, where this user may mount them. */
describe('on a full disk', { timeout: 120_000 }, () => {
  let disk: string;
  beforeEach(async () => {
    disk = await mkdtemp(join(tmpdir(), 'pressel-disk-'));
  });
  afterEach(() => rm(disk, { recursive: true, force: true }));

  const mount = (megabytes: number): boolean => {
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', disk], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  const unmount = () => execFileSync('umount', [disk]);
  const start = async () => {
    const log = { debug: vi.fn(), warn: vi.fn(), error: vi.fn() };
    return startCluster({ programs: await findPrograms(), folder: join(disk, 'postgres'), isDurable: false, log });
  };
  const NO_MOUNT = 'Only root may mount a disk of its own';
  const FULL = 'The disk that DATA_DIR is on is full. Make room, then start again.';

  test('nothing is begun: no half database is left behind', async ({ skip }) => {
    if (!mount(20)) return skip(NO_MOUNT);
    try {
      await expect(start()).rejects.toThrow(FULL);
      expect(await readdir(disk)).toEqual([]);
    } finally {
      unmount();
    }
  });

  test('data is left as it is, and goes on when there is room again', async ({ skip }) => {
    if (!mount(100)) return skip(NO_MOUNT);
    try {
      await (await start()).stop();
      const { bavail, bsize } = await statfs(disk);
      await writeFile(join(disk, 'filler'), Buffer.alloc(bavail * bsize));
      await expect(start()).rejects.toThrow(FULL);
      await rm(join(disk, 'filler'));
      await (await start()).stop();
    } finally {
      unmount();
    }
  });
});
