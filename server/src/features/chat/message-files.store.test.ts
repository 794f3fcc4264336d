import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFolder } from '#src/files/folder.ts';
import { STORES, type TestStore } from '#test/file-stores.ts';
import { createMessageFiles, createStoredName } from './message-files.store.ts';

const KEY = Buffer.alloc(32, 1);
const IMAGE = Buffer.from('image');
const HOUR_MS = 3_600_000;

describe.each(STORES)('the files of messages in $kind', ({ open }) => {
  let kept: TestStore;
  let rows: Set<string>;
  let time: number;
  /** Number of names in each question to the database. */
  let asked: number[];
  let isBackingUp: boolean;
  const always = async () => true;
  const log = { warn: vi.fn(), info: vi.fn() };
  beforeEach(async () => {
    kept = await open();
    rows = new Set();
    asked = [];
    isBackingUp = false;
    time = Date.now();
    log.warn.mockClear();
  });
  afterEach(() => kept.remove());

  const storeIn = (files: TestStore['files'], key = KEY) =>
    createMessageFiles({
      store: files,
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
  const store = () => storeIn(kept.files);
  const putFile = (file: string) => kept.files.put(`messages/${file}`, IMAGE);
  const found = async () => {
    const names: string[] = [];
    for await (const piece of kept.files.list('messages')) names.push(...piece.map(({ name }) => name.slice(9)));
    return names.filter((name) => name !== 'installation').sort();
  };
  const read = async (file: string) => {
    const one = await store().read(file);
    return one === null ? null : text(one.stream);
  };
  const filesOf = (...names: string[]) => names.flatMap((name) => [`${name}-small.webp`, `${name}.webp`]).sort();

  test('are whole under their names, with nothing beside them', async () => {
    const name = await store().put(IMAGE, Buffer.from('small'));
    expect(await found()).toEqual(filesOf(name));
    expect([await read(`${name}.webp`), await read(`${name}-small.webp`)]).toEqual(['image', 'small']);
    await store().remove(name);
    await store().remove(name);
    expect(await found()).toEqual([]);
    expect(await read(`${name}.webp`)).toBeNull();
  });

  test('CHAT25: after a start those with a row are there, and nothing else: neither files nor parts of them', async () => {
    const known = await store().put(IMAGE, IMAGE);
    await store().put(IMAGE, IMAGE);
    rows.add(known);
    for (const ending of ['.part', '.1a2b3c4d.part']) {
      await putFile(`${createStoredName()}.webp${ending}`);
      await putFile(`${known}.webp${ending}`);
    }
    await putFile('read-me.txt');
    await store().sweep(true, always);
    expect(await found()).toEqual([...filesOf(known), 'read-me.txt'].sort());
  });

  test('CHAT25: while others may be writing, what is younger than an hour stays', async () => {
    const name = await store().put(IMAGE, IMAGE);
    await putFile(`${name}.webp.1a2b3c4d.part`);
    await store().sweep(false, always);
    expect(await found()).toHaveLength(3);
    time += HOUR_MS + 1_000;
    await store().sweep(false, always);
    expect(await found()).toEqual([]);
  });

  test('CHAT28: a folder is walked in pieces, and between them others have their turn', async () => {
    await store().put(IMAGE, IMAGE);
    const { piece } = kept;
    const names = Array.from({ length: 2 * piece + 8 }, createStoredName);
    for (const name of names) await putFile(`${name}.webp`);
    for (const name of names.slice(0, 5)) rows.add(name);
    const pieces: number[] = [];
    await store().sweep(true, async () => {
      pieces.push((await found()).length);
      return pieces.length < 3;
    });
    // It was told to stop before its last piece.
    expect(pieces).toHaveLength(3);
    expect((await found()).length).toBeGreaterThan(5);
    await store().sweep(true, always);
    expect(await found()).toHaveLength(5);
    expect(Math.max(...asked)).toBeLessThanOrEqual(piece);
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
    await storeIn(kept.files, Buffer.alloc(32, 2)).sweep(true, always);
    expect(await found()).toEqual(filesOf(name));
    expect(log.warn).toHaveBeenCalledWith({ folder: 'messages' }, 'files_of_another_installation');
    await kept.files.remove(['messages/installation']);
    await store().sweep(true, always);
    expect(await found()).toEqual(filesOf(name));
  });

  test('CHAT26: what was never used becomes ours with the first file', async () => {
    await store().sweep(true, always);
    await store().put(IMAGE, IMAGE);
    await store().sweep(true, always);
    expect(await found()).toEqual([]);
    expect(log.warn).not.toHaveBeenCalled();
  });
});

describe('files in a folder', () => {
  let root: string;
  const log = { warn: vi.fn(), info: vi.fn() };
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'pressel-files-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const storeIn = (dataDir: string) =>
    createMessageFiles({
      store: createFolder(dataDir, log),
      key: KEY,
      known: async () => new Set(),
      whileNoBackup: async () => false,
      now: () => new Date(),
      log,
    });

  test('a folder that was made and never used becomes ours', async () => {
    await mkdir(join(root, 'files/messages'), { recursive: true });
    await storeIn(root).put(IMAGE, IMAGE);
    expect(await readdir(join(root, 'files/messages'))).toContain('installation');
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
