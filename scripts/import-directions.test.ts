import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const IMPORT = /(?:from|import)\s*\(?\s*'((?:\.{1,2}\/|#src\/)[^'?]+\.tsx?)/gu;

/** The imports of one workspace by file, without tests; also imports of types, and those that load later. */
function importsOf(workspace: string): ReadonlyMap<string, readonly string[]> {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', `${workspace}/src`], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => /(?<!\.test)\.tsx?$/u.test(file) && existsSync(join(root, file)));
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const found = [...text.matchAll(IMPORT)].map(([, path = '']) =>
        path.startsWith('#') ? `${workspace}/${path.slice(1)}` : posix.join(posix.dirname(file), path),
      );
      return [file, found];
    }),
  );
}

/**
 * The folders that import each other, with what each imports of the next. A folder counts with all its files. Files
 * beside folders count one by one, as a page that shows what its folders have, or a rule that they share.
 */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const folders = new Set([...imports.keys()].map((file) => posix.dirname(file)));
  const isBesideFolders = (folder: string) => [...folders].some((one) => one.startsWith(`${folder}/`));
  const nodeOf = (file: string) => (isBesideFolders(posix.dirname(file)) ? file : posix.dirname(file));
  const edges = new Map<string, Map<string, string>>();
  for (const [file, found] of imports) {
    for (const path of found) {
      const [from, to] = [nodeOf(file), nodeOf(path)];
      if (from === to) continue;
      const known = edges.get(from) ?? new Map<string, string>();
      edges.set(from, known.set(to, `${file} imports ${path}`));
    }
  }
  const reached = (start: string): Set<string> => {
    const seen = new Set<string>();
    const visit = (node: string): void => {
      for (const next of edges.get(node)?.keys() ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        visit(next);
      }
    };
    visit(start);
    return seen;
  };
  const from = new Map([...edges.keys()].map((node) => [node, reached(node)]));
  return [...edges].flatMap(([node, to]) =>
    [...to].filter(([next]) => from.get(next)?.has(node) === true).map(([, why]) => why),
  );
}

test('folders that import each other are found, whatever stands between them', () => {
  const imports = new Map([
    ['a/one.ts', ['a/two.ts', 'b/one.ts']],
    ['a/two.ts', []],
    ['b/one.ts', ['c/one.ts']],
    ['c/one.ts', ['a/two.ts', 'd/one.ts']],
    ['d/one.ts', []],
  ]);
  expect(circlesOf(imports)).toEqual([
    'a/one.ts imports b/one.ts',
    'b/one.ts imports c/one.ts',
    'c/one.ts imports a/two.ts',
  ]);
});

test('a page may stand beside the folders that it shows, and a rule beside those that share it', () => {
  const imports = new Map([
    ['a/page.ts', ['a/list/one.ts', 'a/rule.ts']],
    ['a/list/one.ts', ['a/rule.ts']],
    ['a/rule.ts', []],
  ]);
  expect(circlesOf(imports)).toEqual([]);
});

test.each(['web', 'server'])('no folder of %s imports against the direction of the others', (workspace) => {
  const imports = importsOf(workspace);
  expect(imports.size).toBeGreaterThan(10);
  expect(circlesOf(imports)).toEqual([]);
});

describe('a feature knows no other', () => {
  /** Features that are made of others. Biome's rules say which of their files. */
  const MADE_OF = {
    calls: ['voice'],
    room: ['calls', 'chat', 'guests', 'members', 'positions', 'voice'],
  };

  test.each([
    ['web', MADE_OF],
    ['server', {}],
  ])('in %s', (workspace, madeOf) => {
    const featureOf = (file: string) => /\/src\/features\/([^/]+)\//u.exec(file)?.[1];
    const known = new Map<string, Set<string>>();
    for (const [file, found] of importsOf(workspace)) {
      const feature = featureOf(file);
      if (feature === undefined) continue;
      for (const path of found) {
        const other = featureOf(path);
        if (other !== undefined && other !== feature) known.set(feature, (known.get(feature) ?? new Set()).add(other));
      }
    }
    const found = Object.fromEntries([...known].map(([feature, others]) => [feature, [...others].sort()]));
    expect(found).toEqual(madeOf);
  });
});
