import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFileStore, createStoredName } from './message-files.store.ts';

const KEY = Buffer.alloc(32, 1);
const IMAGE = Buffer.from('image');
const HOUR_MS = 3_600_000;

describe('the files of messages', () => {
  let root: string;
  let rows: Set<string>;
  let time: number;
  /** How many names the database was asked for, each time. */
  let asked: number[];
  let isBackingUp: boolean;
  const always = async () => true;
  const log = { warn: vi.fn(), info: vi.fn() };
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'pressel-files-'));
    rows = new Set();
    asked = [];
    isBackingUp = false;
    time = Date.now();
    log.warn.mockClear();
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const storeIn = (data: string, key = KEY) =>
    createFileStore({
      dir: join(data, 'files/messages'),
      key,
      known: async (names) => {
        asked.push(names.length);
        return new Set(names.filter((name) => rows.has(name)));
      },
      whileNoBackup: async (remove) => {
        if (isBackingUp) return false;
        await remove();
        return true;
      },
      now: () => new Date(time),
      log,
    });
  const store = () => storeIn(root);
  const folder = () => join(root, 'files/messages');
  const found = async () => (await readdir(folder())).filter((name) => name !== 'installation').sort();
  const filesOf = (...names: string[]) => names.flatMap((name) => [`${name}-small.webp`, `${name}.webp`]).sort();

  test('are whole under their names, with nothing beside them', async () => {
    const name = await store().put(IMAGE, Buffer.from('small'));
    expect(await found()).toEqual(filesOf(name));
    expect(await readFile(join(folder(), `${name}.webp`), 'utf8')).toBe('image');
    expect(await readFile(join(folder(), `${name}-small.webp`), 'utf8')).toBe('small');
    await store().drop(name);
    await store().drop(name);
    expect(await found()).toEqual([]);
    expect(await store().read(`${name}.webp`)).toBeNull();
  });

  test('CHAT25: after a start those with a row are there, and nothing else: neither files nor parts of them', async () => {
    const kept = await store().put(IMAGE, IMAGE);
    const lost = await store().put(IMAGE, IMAGE);
    rows.add(kept);
    await writeFile(join(folder(), `${createStoredName()}.webp.part`), IMAGE);
    await writeFile(join(folder(), `${kept}.webp.part`), IMAGE);
    await writeFile(join(folder(), 'read me'), 'of somebody else');
    await store().sweep(true, always);
    expect(await found()).toEqual([...filesOf(kept), 'read me'].sort());
    expect(existsSync(join(folder(), `${lost}.webp`))).toBe(false);
  });

  test('CHAT25: while others may be writing, what is younger than an hour stays', async () => {
    const name = await store().put(IMAGE, IMAGE);
    await writeFile(join(folder(), `${name}.webp.part`), IMAGE);
    await store().sweep(false, always);
    expect(await found()).toHaveLength(3);
    time += HOUR_MS + 1_000;
    await store().sweep(false, always);
    expect(await found()).toEqual([]);
  });

  test('CHAT28: a folder is walked in pieces, and between them others have their turn', async () => {
    await store().put(IMAGE, IMAGE);
    const names = Array.from({ length: 1_200 }, createStoredName);
    for (const name of names) await writeFile(join(folder(), `${name}.webp`), '');
    for (const name of names.slice(0, 1_000)) rows.add(name);
    const pieces: number[] = [];
    await store().sweep(true, async () => {
      pieces.push((await found()).length);
      return pieces.length < 3;
    });
    // Told to stop before its last piece.
    expect(pieces).toHaveLength(3);
    expect((await found()).length).toBeGreaterThan(1_000);
    await store().sweep(true, always);
    expect((await found()).length).toBe(1_000);
    expect(Math.max(...asked)).toBeLessThanOrEqual(500);
  });

  test('CHAT27: a sweep removes nothing while a backup runs', async () => {
    const name = await store().put(IMAGE, IMAGE);
    isBackingUp = true;
    await store().sweep(true, always);
    expect(await found()).toEqual(filesOf(name));
    isBackingUp = false;
    await store().sweep(true, always);
    expect(await found()).toEqual([]);
  });

  test('CHAT26: those of another database are left alone', async () => {
    const name = await store().put(IMAGE, IMAGE);
    await storeIn(root, Buffer.alloc(32, 2)).sweep(true, always);
    expect(await found()).toEqual(filesOf(name));
    expect(log.warn).toHaveBeenCalledWith('files_of_another_installation');
    await rm(join(folder(), 'installation'));
    await store().sweep(true, always);
    expect(await found()).toEqual(filesOf(name));
  });

  test('a folder that was made and never used becomes ours', async () => {
    await store().sweep(true, always);
    await mkdir(folder(), { recursive: true });
    await store().sweep(true, always);
    await store().put(IMAGE, IMAGE);
    await store().sweep(true, always);
    expect(await found()).toEqual([]);
    expect(log.warn).not.toHaveBeenCalled();
  });

  test('on a full disk nothing is stored, nothing is left, and there is a retry', async () => {
    const disk = join(root, 'disk');
    await mkdir(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      return; // Where this user may not mount, nothing is tested.
    }
    try {
      await storeIn(disk).put(IMAGE, IMAGE);
      const before = await readdir(join(disk, 'files/messages'));
      const { bavail, bsize } = await statfs(disk);
      const small = Math.max(0, bavail * bsize - 600_000);
      await writeFile(join(disk, 'filler'), Buffer.alloc(small));
      const large = Buffer.alloc(500_000);
      await expect(storeIn(disk).put(large, large)).rejects.toMatchObject({ code: 'unavailable' });
      expect(await readdir(join(disk, 'files/messages'))).toEqual(before);
      await rm(join(disk, 'filler'));
      await storeIn(disk).put(large, large);
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});
