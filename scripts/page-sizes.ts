import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of the build's manifest: https://vite.dev/guide/backend-integration */
interface Chunk {
  file: string;
  imports?: string[];
  dynamicImports?: string[];
}

/**
 * A page, and how much JavaScript it may load before it stands, as sent (brotli). The limit is a multiple of what its libraries take, which
 * are the bare page of the same build. So a release of a library, or of the compressor, leaves the verdict to what we write, and a page is
 * not judged by its last byte.
 */
interface PageLimit {
  name: string;
  /** The parts that boot.ts asks for. */
  parts: readonly string[];
  words: readonly string[];
  maxTimes: number;
}

const PAGES: readonly PageLimit[] = [
  { name: 'sign-in', parts: ['src/app/doors.tsx'], words: ['door'], maxTimes: 1.3 },
  {
    name: 'users',
    parts: ['src/app/console-layout.tsx', 'src/app/users-route.tsx'],
    words: ['door', 'channels', 'users'],
    maxTimes: 1.8,
  },
];

const LIBRARIES = /\/(?:console-)?libraries-[^/]*$/u;
const ENTRY = 'index.html';
const APP = /^_app-.*\.js$/u;
/** The only shared file of boot.ts that belongs to some pages only: boot.ts asks for the others on all pages. */
const ROOM = /^_room-/u;

/** The files of some chunks with all that they import. */
function filesOf(manifest: Readonly<Record<string, Chunk>>, first: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const files = new Set<string>();
  const add = (key: string): void => {
    if (seen.has(key)) return;
    seen.add(key);
    const chunk = manifest[key];
    if (chunk === undefined) throw new Error(`The build has no ${key}`);
    files.add(chunk.file);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  first.forEach(add);
  return files;
}

/**
 * Fails when a page would load more than it may before it stands, or when the first script would wait for libraries.
 * @throws Error that names the page and its files, largest first
 */
export function requirePageSizes(dist: string): void {
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  const keys = Object.keys(manifest);
  const app = keys.filter((key) => APP.test(key));
  const first = filesOf(manifest, [ENTRY]);
  if (app.some((key) => first.has(manifest[key]?.file ?? ''))) {
    throw new Error('boot.ts would wait for the app: see the chunks in web/vite/chunks.ts');
  }
  const always = (manifest[ENTRY]?.dynamicImports ?? []).filter((key) => key.startsWith('_') && !ROOM.test(key));
  for (const { name, parts, words, maxTimes } of PAGES) {
    const wordKeys = keys.filter((key) => words.some((bundle) => key.startsWith(`_words-fr-${bundle}-`)));
    const sizes = [...filesOf(manifest, [ENTRY, ...always, ...parts, ...wordKeys])]
      .map((file) => ({ file, bytes: statSync(join(dist, `${file}.br`)).size }))
      .toSorted((a, b) => b.bytes - a.bytes);
    const sumOf = (some: typeof sizes) => some.reduce((all, { bytes }) => all + bytes, 0);
    const [sum, bare] = [sumOf(sizes), sumOf(sizes.filter(({ file }) => LIBRARIES.test(file)))];
    if (bare === 0) throw new Error(`${name} loads no libraries: see the chunks in web/vite/chunks.ts`);
    if (sum > bare * maxTimes) {
      const list = sizes.map(({ file, bytes }) => `${bytes} ${file}`).join('\n');
      const times = (sum / bare).toFixed(2);
      throw new Error(
        `${name} would load ${sum} bytes of JavaScript, ${times} times its libraries, of at most ${maxTimes}:\n${list}`,
      );
    }
  }
}
