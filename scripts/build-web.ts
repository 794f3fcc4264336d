import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip as gzipCallback } from 'node:zlib';
import { requirePageSizes } from './page-sizes.ts';
import { run } from './processes.ts';

const root = join(import.meta.dirname, '..');
const stamp = join(root, 'web/dist/.built-from');
const brotli = promisify(brotliCompress);
const gzip = promisify(gzipCallback);

/** All sources of the built web app. */
const SOURCES = [
  'web/src/**/*',
  'web/public/**/*',
  'web/index.html',
  'web/*.ts',
  'web/vite/**/*',
  'web/worker/**/*',
  // Vite reads the settings of types, too.
  '{tsconfig.base.json,web/tsconfig.json}',
  'web/*.mjs',
  'packages/contract/{src/**/*,*.ts}',
  'package-lock.json',
];

/** Builds the web app, unless the existing build was made from these very sources. */
export async function buildWebIfStale(): Promise<void> {
  const hash = hashSources(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  await run([join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], { cwd: join(root, 'web') });
  await compress();
  requirePageSizes(join(root, 'web/dist'));
  writeFileSync(stamp, hash);
}

/**
 * How hard Brotli tries, by what it compresses. Text becomes a tenth smaller by the highest quality. Tiles become 2 % smaller, and that
 * would take 19 s of a processor instead of 0.2 s.
 */
const BROTLI_QUALITY = { text: 11, tiles: 6 };

/** Compresses text and the map's tiles once, so that the server never does: a megabyte travels as a quarter. Uses all cores. */
async function compress(): Promise<void> {
  const write = async (path: string): Promise<void> => {
    const content = await readFile(path);
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[path.endsWith('.tiles') ? 'tiles' : 'text'] };
    await writeFile(`${path}.br`, await brotli(content, { params }));
    await writeFile(`${path}.gz`, await gzip(content));
  };
  const files = globSync('web/dist/**/*.{js,css,html,svg,json,tiles,webmanifest}', { cwd: root });
  await Promise.all(files.map((file) => write(join(root, file))));
}

/** @param folder the root of the project */
export function hashSources(folder: string): string {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: folder, withFileTypes: true })
    // A type check writes what it knows beside the sources.
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tsbuildinfo'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(file.slice(folder.length)).update(readFileSync(file));
  return hash.digest('hex');
}

if (import.meta.main) await buildWebIfStale();
