import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pageSizes, requirePageSizes } from './page-sizes.ts';

let dist: string;
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'pressel-sizes-'));
});
afterEach(() => rmSync(dist, { recursive: true }));

const NAMES = ['libraries', 'contract', 'app', 'console', 'users-route', 'channels-routes', 'dashboard-route', 'room'];
/** Files that pages load ahead. */
const AHEAD = [
  ...['menus', 'message-alerts', 'browser-outbox', 'keep-worker', 'user-dialogs', 'channel-dialogs'],
  ...['settings-popover', 'switcher-list', 'tooltip-bubble', 'volume-popover', 'all-activities'],
];
const WORDS = ['door', 'channels', 'users', 'voice'].map((bundle) => `words-fr-${bundle}`);
const PIECES = Array.from({ length: 18 }, (_, at) => `piece${at}`);
/** A build in which `sizes` says how many bytes of a file are sent; others are 1,000. */
function build(sizes: Record<string, number> = {}, imports: Record<string, string[]> = {}): void {
  const chunks = ['index', 'shared', ...NAMES, ...AHEAD, ...WORDS, ...PIECES].map((name) => {
    const key = name === 'index' ? 'index.html' : `_${name}`;
    return [key, { name, file: `${name}-1.js`, imports: imports[name] ?? [] }] as const;
  });
  mkdirSync(join(dist, '.vite'), { recursive: true });
  writeFileSync(join(dist, '.vite/manifest.json'), JSON.stringify(Object.fromEntries(chunks)));
  for (const [, { name, file }] of chunks) writeFileSync(join(dist, `${file}.br`), Buffer.alloc(sizes[name] ?? 1_000));
}

test('a page is the first script, the files that it asks for, and what these import, once', () => {
  build({}, { app: ['_shared'], room: ['_shared'] });
  expect(Object.fromEntries(pageSizes(dist).map(({ name, bytes }) => [name, bytes]))).toEqual({
    'the first script': 1_000,
    'sign-in': 6_000,
    users: 10_000,
    channels: 10_000,
    dashboard: 9_000,
    room: 10_000,
  });
});

test('a page may be as large as its limit, and not a byte larger', () => {
  build({ room: 292_000 });
  expect(() => requirePageSizes(dist)).not.toThrow();
  build({ room: 292_001 });
  expect(() => requirePageSizes(dist)).toThrow(/^room would load 300001 bytes.*\n292001 /u);
});

test('the first script may not wait for a library', () => {
  build({ shared: 9_001 }, { index: ['_shared'] });
  expect(() => requirePageSizes(dist)).toThrow(/^the first script would load 10001 bytes/u);
});

test('a page may load only so many scripts, with those that it loads ahead', () => {
  const pieces = PIECES.map((name) => `_${name}`);
  build({}, { 'user-dialogs': pieces.slice(1) });
  expect(() => requirePageSizes(dist)).not.toThrow();
  build({}, { 'user-dialogs': pieces });
  expect(() => requirePageSizes(dist)).toThrow(/^users would load 33 scripts, of at most 32:\n.*user-dialogs-1\.js/su);
});
