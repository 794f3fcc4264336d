import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { lockProcesses } from '#src/db/processes-lock.ts';
import { SILENT } from '#test/installations.ts';
import { ownFolder } from '#test/s3-server.ts';
import { makeGivenDatabase } from '#test/test-database.ts';
import type { Installation } from './connect.ts';
import { moveFiles } from './move-files.ts';
import { type FileLocation, withFiles } from './stored-files.ts';

const OWNER = 'messages/installation';
const OWNERS = [OWNER, 'photos/installation'];
const FILES = {
  [OWNER]: 'zoe',
  'photos/installation': 'eoz',
  'messages/a.webp': 'image',
  'photos/b': 'é',
  'messages/empty': '',
};
const s3 = inject('s3');

describe.skipIf(s3 === null)('files of an installation', () => {
  let bucket: Installation;
  let folder: Installation;
  beforeEach(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'pressel-files-'));
    bucket = { dataDir, databaseUrl: await makeGivenDatabase(), s3: s3 === null ? null : ownFolder(s3) };
    folder = { ...bucket, s3: null };
    await put(folder, FILES);
  });
  afterEach(() => rm(bucket.dataDir, { recursive: true, force: true }));

  const put = (place: FileLocation, content: Record<string, string>) =>
    withFiles(place, async (files) => {
      for (const [name, words] of Object.entries(content)) await files.put(name, Buffer.from(words));
    });
  const contentOf = (place: FileLocation) =>
    withFiles(place, async (files) => {
      const found: Record<string, string> = {};
      for await (const piece of files.list('')) {
        for (const { name } of piece) {
          const file = await files.get(name);
          if (file !== null) found[name] = await text(file.stream);
        }
      }
      return found;
    });
  const move = (change: { isBack?: boolean; removes?: boolean } = {}, from = bucket) =>
    moveFiles(from, { isBack: false, removes: false, ...change, ownerFiles: OWNERS, say: () => undefined });

  test('[FILE26] are brought to the bucket and back; a second run brings nothing', async () => {
    expect(await move()).toEqual({ files: 5, bytes: 13, brought: 5 });
    expect(await contentOf(bucket)).toEqual(FILES);
    expect(await contentOf(folder)).toEqual(FILES);
    expect(await move()).toMatchObject({ brought: 0 });
    await rm(join(bucket.dataDir, 'files'), { recursive: true });
    expect(await move({ isBack: true })).toMatchObject({ files: 5, brought: 5 });
    expect(await contentOf(folder)).toEqual(FILES);
  });

  test('[FILE26] are compared by content: one that was changed there, and those that a cut run left out, are brought', async () => {
    await put(bucket, { [OWNER]: 'zoe', 'messages/a.webp': 'imagf' });
    expect(await move()).toMatchObject({ files: 5, brought: 4 });
    expect(await contentOf(bucket)).toEqual(FILES);
  });

  test('[FILE27] stay where they were, unless their removal is asked for while Pressel is stopped', async () => {
    await writeFile(join(bucket.dataDir, 'files/messages/holiday photo.jpg'), 'not ours');
    const connection = { connectionString: String(bucket.databaseUrl) };
    const lock = await lockProcesses({ connection, isShared: true, ...SILENT });
    await move();
    await expect(move({ removes: true })).rejects.toThrow('Stop Pressel');
    expect(await contentOf(bucket)).toEqual(FILES);
    await lock.release();
    await move({ removes: true });
    expect(await contentOf(bucket)).toEqual(FILES);
    await rm(join(bucket.dataDir, 'files/messages/holiday photo.jpg'));
    expect(await contentOf(folder)).toEqual({});
  });

  test.each([
    ['files of another installation', { [OWNER]: 'other' }],
    ['photos of another installation', { [OWNER]: 'zoe', 'photos/installation': 'other' }],
    ['files of nobody known', { 'messages/x.webp': '' }],
  ])('[FILE28] are not mixed with %s', async (_what, there) => {
    await put(bucket, there as unknown as Record<string, string>);
    await expect(move()).rejects.toThrow('holds files of another installation');
    expect(await contentOf(bucket)).toEqual(there);
  });

  test('[FILE28] need a bucket to be named', async () => {
    await expect(move({}, folder)).rejects.toThrow('Set FILES_URL');
  });
});
