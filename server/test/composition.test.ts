import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../src');
const IMPORTED = /(?:from|import)\s*\(?\s*'([^']+)'/gu;

const sources = globSync('**/*.ts', { cwd: SRC })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({
    file,
    imports: [...readFileSync(join(SRC, file), 'utf8').matchAll(IMPORTED)].map((match) => match[1] ?? ''),
  }));
const importing = (wanted: RegExp) => sources.filter(({ imports }) => imports.some((name) => wanted.test(name)));
const featureOf = (file: string) => /^features\/([^/]+)\//u.exec(file)?.[1];

describe('the composition of the server', () => {
  test('no feature imports another: what it needs is handed to it', () => {
    const crossing = sources.flatMap(({ file, imports }) => {
      const own = featureOf(file);
      if (own === undefined) return [];
      return imports
        .filter((name) => name.startsWith('../') || /features\/([^/]+)/u.test(name))
        .map((name) => [file, name]);
    });
    expect(crossing).toEqual([]);
  });

  test('features are known to the list of them, and to who counts accounts before the first line is printed', () => {
    const knowing = importing(/features\//u).map(({ file }) => file);
    expect(knowing.sort()).toEqual(['app.ts', 'start.ts']);
  });

  test('each feature wires itself in a file of its own, which the list names', () => {
    const features = new Set(sources.flatMap(({ file }) => featureOf(file) ?? []));
    const app = readFileSync(join(SRC, 'app.ts'), 'utf8');
    for (const feature of features) expect(app).toContain(`./features/${feature}/${feature}.feature.ts`);
  });

  test('who may do or see more is said by policies, not where it is done', () => {
    const deciding = sources
      .map(({ file }) => file)
      .filter(
        (file) => file.startsWith('features/') && /\.role [!=]== 'admin'/u.test(readFileSync(join(SRC, file), 'utf8')),
      );
    expect(deciding.filter((file) => !file.endsWith('.policy.ts'))).toEqual([]);
    expect(deciding).toContain('features/users/users.policy.ts');
  });

  test('Socket.IO is behind one door', () => {
    const using = importing(/^socket\.io/u).map(({ file }) => file);
    expect(using.sort()).toEqual(['shared/gateway.ts', 'shared/one-write-adapter.ts']);
    // The second is a part of the first, which alone knows it.
    expect(importing(/one-write-adapter\.ts$/u).map(({ file }) => file)).toEqual(['shared/gateway.ts']);
    const door = importing(/shared\/gateway\.ts$|\.\/gateway\.ts$/u).map(({ file }) => file);
    expect(door.filter((file) => file.startsWith('features/'))).toEqual([]);
  });
});
