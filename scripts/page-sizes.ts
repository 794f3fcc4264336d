import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of the build's manifest: https://vite.dev/guide/backend-integration */
interface Chunk {
  file: string;
  /** The file's name without its hash. */
  name?: string;
  imports?: string[];
}
type Manifest = Readonly<Record<string, Chunk>>;

interface PageLimit {
  name: string;
  /** The files that boot.ts asks for, by their names without hashes. */
  asked: readonly string[];
  /** How much JavaScript the page may load before its content stands, in bytes as sent (brotli). */
  max: number;
  /** The files that it asks for once the browser is idle. */
  ahead: readonly string[];
  /** How many scripts it may load in all: each costs processor time, however small it is. */
  maxScripts: number;
}

const ENTRY = 'index.html';
/** boot.ts asks for these on all pages. */
const ALWAYS = ['libraries', 'contract', 'app', 'words-fr-door'];
const LIST = [...ALWAYS, 'console', 'words-fr-channels', 'words-fr-users'];
const AHEAD = ['menus', 'message-alerts', 'browser-outbox', 'keep-worker', 'words-fr-voice'];
/** `npm run bench -- open` measures the same in a browser. */
const PAGES: readonly PageLimit[] = [
  { name: 'sign-in', asked: ALWAYS, max: 165_000, ahead: ['keep-worker'], maxScripts: 10 },
  {
    name: 'users',
    asked: [...LIST, 'users-route'],
    max: 265_000,
    ahead: [...AHEAD, 'user-dialogs'],
    maxScripts: 32,
  },
  {
    name: 'channels',
    asked: [...LIST, 'channels-routes'],
    max: 265_000,
    ahead: [...AHEAD, 'channel-dialogs', 'room'],
    maxScripts: 32,
  },
  {
    name: 'dashboard',
    asked: [...ALWAYS, 'console', 'dashboard-route', 'words-fr-channels'],
    max: 265_000,
    ahead: [...AHEAD, 'room', 'all-activities'],
    maxScripts: 32,
  },
  {
    name: 'room',
    asked: [...ALWAYS, 'console', 'room', 'words-fr-channels', 'words-fr-voice'],
    max: 300_000,
    ahead: [...AHEAD, 'settings-popover', 'switcher-list', 'tooltip-bubble', 'volume-popover'],
    maxScripts: 32,
  },
];
/** boot.ts and all that it imports: nothing else is requested before they run, so no library may be among them. */
const FIRST_SCRIPT: PageLimit = { name: 'the first script', asked: [], max: 10_000, ahead: [], maxScripts: 4 };

/** Returns the files of some chunks with all that they import. */
function filesOf(manifest: Manifest, first: readonly string[]): Set<string> {
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

/** A page's JavaScript. Files are the largest first, each with its bytes as sent. */
interface PageSize {
  name: string;
  bytes: number;
  max: number;
  files: { file: string; bytes: number }[];
  /** All its scripts, with those that it loads ahead. */
  scripts: string[];
  maxScripts: number;
}

/** Returns what each page loads before its content stands, and first what boot.ts waits for. */
export function pageSizes(dist: string): PageSize[] {
  const manifest = JSON.parse(readFileSync(join(dist, '.vite/manifest.json'), 'utf8')) as Manifest;
  const chunkOf = (wanted: string): string => {
    const [key] = Object.entries(manifest).find(([, { name, file }]) => name === wanted && file.endsWith('.js')) ?? [];
    if (key === undefined) throw new Error(`The build has no ${wanted}`);
    return key;
  };
  const sizeOf = ({ name, asked, max, ahead, maxScripts }: PageLimit): PageSize => {
    const first = [ENTRY, ...asked.map(chunkOf)];
    const files = [...filesOf(manifest, first)]
      .map((file) => ({ file, bytes: statSync(join(dist, `${file}.br`)).size }))
      .toSorted((a, b) => b.bytes - a.bytes);
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const scripts = [...filesOf(manifest, [...first, ...ahead.map(chunkOf)])];
    return { name, bytes, max, files, scripts, maxScripts };
  };
  return [FIRST_SCRIPT, ...PAGES].map(sizeOf);
}

/**
 * Fails when a page would load more than it may before it stands, more files than it may in all, or when the first
 * script would wait for libraries.
 * @throws Error that names the page and its files, those of too many bytes largest first
 */
export function requirePageSizes(dist: string): void {
  for (const { name, bytes, max, files, scripts, maxScripts } of pageSizes(dist)) {
    if (scripts.length > maxScripts) {
      const list = scripts.join('\n');
      throw new Error(`${name} would load ${scripts.length} scripts, of at most ${maxScripts}:\n${list}`);
    }
    if (bytes <= max) continue;
    const list = files.map((one) => `${one.bytes} ${one.file}`).join('\n');
    throw new Error(`${name} would load ${bytes} bytes of JavaScript, of at most ${max}:\n${list}`);
  }
}
