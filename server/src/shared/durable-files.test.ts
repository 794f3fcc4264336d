import { type FileHandle, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { copyDurably, syncFolder, syncFolders } from './durable-files.ts';

let dir: string;
let handles: FileHandle;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'pressel-durable-'));
  const handle = await open(dir);
  handles = Object.getPrototypeOf(handle);
  await handle.close();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(dir, { recursive: true, force: true });
});

/** Watches which files are synced to the disk. */
const watch = () => {
  const sync = vi.spyOn(handles, 'sync');
  return {
    sync,
    /** How many of these files are still open: a closed one has no number. */
    open: () => sync.mock.contexts.filter((handle) => (handle as FileHandle).fd !== -1).length,
  };
};

test('a copy has what the file has, and is on the disk before its promise is kept', async () => {
  await writeFile(join(dir, 'a'), 'as it was');
  const { sync, open: stillOpen } = watch();
  await copyDurably(join(dir, 'a'), join(dir, 'b'));
  expect(await readFile(join(dir, 'b'), 'utf8')).toBe('as it was');
  expect(sync).toHaveBeenCalledOnce();
  expect(stillOpen()).toBe(0);
});

test('a copy that the disk does not take fails, and its file is closed', async () => {
  await writeFile(join(dir, 'a'), 'x');
  const { sync, open: stillOpen } = watch();
  sync.mockRejectedValueOnce(Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' }));
  await expect(copyDurably(join(dir, 'a'), join(dir, 'b'))).rejects.toThrow('EIO');
  expect(stillOpen()).toBe(0);
});

// Windows can't sync folders to the disk.
test.skipIf(process.platform === 'win32')('every folder below one is synced, and itself, files not', async () => {
  await mkdir(join(dir, 'one/two'), { recursive: true });
  await mkdir(join(dir, 'three'));
  await writeFile(join(dir, 'three/file'), 'x');
  const { sync, open: stillOpen } = watch();
  await syncFolders(dir);
  expect(sync).toHaveBeenCalledTimes(4);
  expect(stillOpen()).toBe(0);
  sync.mockClear();
  await syncFolder(join(dir, 'one'));
  expect(sync).toHaveBeenCalledOnce();
});

test('a folder that is not there is no success', async () => {
  await expect(syncFolders(join(dir, 'none'))).rejects.toThrow('ENOENT');
});
