import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { STORES, type TestStore } from '#test/file-stores.ts';
import type { FileStore } from './file-store.ts';

const IMAGE = Buffer.from('an image \u{1f4f7}');

describe.each(STORES)('files in $kind', ({ open }) => {
  let store: TestStore;
  let files: FileStore;
  beforeEach(async () => {
    store = await open();
    files = store.files;
  });
  afterEach(() => store.remove());

  const contentOf = async (name: string) => {
    const found = await files.get(name);
    return found === null ? null : buffer(found.stream);
  };
  const listed = async (folder: string) => {
    const names: string[] = [];
    for await (const piece of files.list(folder)) names.push(...piece.map(({ name }) => name));
    return names.sort();
  };

  test('FILE1: a file that was stored is there, whole, with its size and its time', async () => {
    const before = Date.now();
    await files.put('messages/one.webp', IMAGE);
    expect(await contentOf('messages/one.webp')).toEqual(IMAGE);
    const found = await files.get('messages/one.webp');
    found?.stream.destroy();
    expect(found?.bytes).toBe(IMAGE.length);
    const info = await files.head('messages/one.webp');
    expect(info?.bytes).toBe(IMAGE.length);
    // S3 counts in whole seconds, by its own clock.
    expect(Math.abs((info?.modifiedAt.getTime() ?? 0) - before)).toBeLessThan(60_000);
  });

  test('FILE1: a file is replaced as a whole, and may be empty or a megabyte', async () => {
    await files.put('messages/one.webp', IMAGE);
    const large = Buffer.alloc(1_048_576, 7);
    await files.put('messages/one.webp', large);
    expect((await contentOf('messages/one.webp'))?.equals(large)).toBe(true);
    await files.put('messages/one.webp', Buffer.alloc(0));
    expect(await contentOf('messages/one.webp')).toEqual(Buffer.alloc(0));
    expect((await files.head('messages/one.webp'))?.bytes).toBe(0);
  });

  test('FILE1: several processes may store the same file at once', async () => {
    const bytes = [1, 2, 3, 4, 5, 6].map((digit) => Buffer.alloc(100_000, digit));
    await Promise.all(bytes.map((one) => files.put('messages/one.webp', one)));
    const stored = await contentOf('messages/one.webp');
    expect(bytes.some((one) => stored?.equals(one))).toBe(true);
    expect(await listed('messages')).toEqual(['messages/one.webp']);
  });

  test('what is not there is null, also where another name begins so, and removing it is no error', async () => {
    await files.put('messages/one.webp.more', IMAGE);
    for (const name of ['messages/one.webp', 'messages/one', 'none/at-all']) {
      expect([await files.get(name), await files.head(name)]).toEqual([null, null]);
    }
    await files.remove(['messages/one.webp', 'none/at-all']);
    await files.remove([]);
    expect(await listed('messages')).toEqual(['messages/one.webp.more']);
    expect(await listed('none')).toEqual([]);
  });

  test('FILE4: a list has all files below a folder, in pieces, and nothing of a folder whose name begins so', async () => {
    const names = Array.from(
      { length: store.piece + 8 },
      (_, index) => `messages/${String(index).padStart(4, '0')}.webp`,
    );
    for (let from = 0; from < names.length; from += 20) {
      await Promise.all(names.slice(from, from + 20).map((name) => files.put(name, IMAGE)));
    }
    await files.put('messages-of-others/one.webp', IMAGE);
    await files.put('messages/deeper/one.webp', IMAGE);
    const pieces: number[] = [];
    for await (const piece of files.list('messages')) pieces.push(piece.length);
    expect(pieces).toEqual([store.piece, 9]);
    expect(await listed('messages')).toEqual([...names, 'messages/deeper/one.webp'].sort());
    expect(await listed('')).toEqual([...names, 'messages/deeper/one.webp', 'messages-of-others/one.webp'].sort());
    await files.remove([...names, 'messages/deeper/one.webp', 'messages-of-others/one.webp']);
    expect(await listed('messages')).toEqual([]);
  });

  test.each([
    '../etc/passwd',
    'messages/../../x',
    '/etc/passwd',
    'messages//x',
    '.hidden',
    'a\\b',
    'a\0b',
    '',
    'messages/.',
  ])('FILE2: %j is no name: nothing is stored, read or removed by it', async (name) => {
    const refused = 'no name of a file';
    await expect(files.put(name, IMAGE)).rejects.toThrow(refused);
    await expect(files.get(name)).rejects.toThrow(refused);
    await expect(files.head(name)).rejects.toThrow(refused);
    await expect(files.remove([name])).rejects.toThrow(refused);
    if (name !== '') await expect(listed(name)).rejects.toThrow(refused);
  });

  test('a reader who goes in the middle holds nothing up', async () => {
    await files.put('messages/one.webp', Buffer.alloc(1_000_000));
    for (let round = 0; round < 20; round += 1) (await files.get('messages/one.webp'))?.stream.destroy();
    expect((await contentOf('messages/one.webp'))?.length).toBe(1_000_000);
  });

  test('it can be reached', async () => {
    await files.ping();
  });
});
