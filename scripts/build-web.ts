import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { requirePageSizes } from './page-sizes.ts';
import { run } from './processes.ts';

const root = join(import.meta.dirname, '..');
const stamp = join(root, 'web/dist/.built-from');

/** All sources of the built web app. */
const SOURCES = [
  'web/src/**/*',
  'web/public/**/*',
  'web/index.html',
  'web/*.ts',
  'web/vite/**/*',
  'web/worker/**/*',
  'web/*.mjs',
  'packages/contract/{src/**/*,*.ts}',
  'package-lock.json',
];

/** Builds the web app, unless the existing build was made from these very sources. */
export async function buildWebIfStale(): Promise<void> {
  const hash = hashSources();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  await run([join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], { cwd: join(root, 'web') });
  compress();
  requirePageSizes(join(root, 'web/dist'));
  writeFileSync(stamp, hash);
}

/** Compresses text and the map's tiles once, so that the server never does: a megabyte travels as a quarter. */
function compress(): void {
  for (const file of globSync('web/dist/**/*.{js,css,html,svg,json,tiles,webmanifest}', { cwd: root })) {
    const content = readFileSync(join(root, file));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    writeFileSync(join(root, `${file}.br`), brotliCompressSync(content, { params }));
    writeFileSync(join(root, `${file}.gz`), gzipSync(content));
  }
}

function hashSources(): string {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest('hex');
}

if (import.meta.main) await buildWebIfStale();
