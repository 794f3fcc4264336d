import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashSources } from './build-web.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pressel-sources-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

const SOURCES = [
  'web/src/main.tsx',
  'web/worker/service-worker.ts',
  'web/worker/tsconfig.json',
  'web/tsconfig.json',
  'tsconfig.base.json',
  'web/vite/world-map/plugin.ts',
  'web/vite.config.ts',
  'web/postcss.config.mjs',
  'web/index.html',
  'web/public/favicon.svg',
  'packages/contract/src/ids.ts',
  'package-lock.json',
];

test.each(SOURCES)('the build is stale when %s has changed', (file) => {
  for (const source of SOURCES) write(source, 'before');
  const before = hashSources(folder);
  write(file, 'after');
  expect(hashSources(folder)).not.toBe(before);
});

test.each([
  'web/tsconfig.tsbuildinfo',
  'web/worker/tsconfig.tsbuildinfo',
  'packages/contract/tsconfig.tsbuildinfo',
  'web/dist/index.html',
])('%s, which a check or a build wrote, makes no build stale', (file) => {
  for (const source of SOURCES) write(source, 'before');
  const before = hashSources(folder);
  write(file, 'written');
  expect(hashSources(folder)).toBe(before);
});
