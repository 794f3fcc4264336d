import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
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

  test('no folder imports another one that imports it, itself or by others, types included', () => {
    const folderOf = (file: string) => dirname(file);
    const known = new Map<string, Set<string>>();
    for (const { file, imports } of sources) {
      const others = known.get(folderOf(file)) ?? new Set();
      known.set(folderOf(file), others);
      for (const name of imports) {
        const path = name.startsWith('#src/')
          ? name.slice('#src/'.length)
          : name.startsWith('.')
            ? normalize(join(folderOf(file), name))
            : null;
        if (path !== null && folderOf(path) !== folderOf(file)) others.add(folderOf(path));
      }
    }
    // Takes away those that import nothing that is left. The rest is a circle.
    for (let before = -1; before !== known.size; ) {
      before = known.size;
      for (const [folder, others] of known) if (![...others].some((other) => known.has(other))) known.delete(folder);
    }
    expect([...known.keys()]).toEqual([]);
  });

  test('features are known to the list of them, to who counts accounts before the first line is printed, and to who compares files with rows', () => {
    const knowing = importing(/features\//u).map(({ file }) => file);
    expect(knowing.sort()).toEqual(['app.ts', 'maintenance/verify.ts', 'start.ts']);
  });

  test('each feature wires itself in a file of its own, which the list names', () => {
    const features = new Set(sources.flatMap(({ file }) => featureOf(file) ?? []));
    const app = readFileSync(join(SRC, 'app.ts'), 'utf8');
    for (const feature of features) expect(app).toContain(`./features/${feature}/${feature}.feature.ts`);
  });

  /** Matches code that compares a role, in any spelling; types and values that are only passed on don't match. */
  const ROLE = `['"](?:admin|member)['"]`;
  const COMPARED = new RegExp(
    `[!=]==?\\s*${ROLE}|${ROLE}\\s*[!=]==?|case ${ROLE}|includes\\(${ROLE}|(?:eq|ne)\\([^)]*, ${ROLE}|= ${ROLE} *[\\)\`]`,
    'u',
  );

  test.each([
    "session.role === 'admin'",
    "({ role }) => role !== 'member'",
    '"admin" === role',
    "case 'admin':",
    "eq(users.role, 'admin')",
    "['x'].includes('admin')",
    "sql`role = 'admin'`",
  ])('%s is seen as a question for a role', (code) => expect(code).toMatch(COMPARED));

  test.each(["role: 'admin' | 'member';", "{ role: 'admin' }", "isFirst ? 'admin' : 'member'"])('%s is none', (code) =>
    expect(code).not.toMatch(COMPARED),
  );

  test('who may do or see more is said by policies, not where it is done', () => {
    const deciding = sources
      .map(({ file }) => file)
      .filter((file) => COMPARED.test(readFileSync(join(SRC, file), 'utf8')));
    expect(deciding).toContain('accounts/policies.ts');
    // Each exception has its reason.
    expect(deciding.filter((file) => file !== 'accounts/policies.ts').toSorted()).toEqual([
      // A guest link is open while its maker is an administrator: a condition of the query that opens it (GUEST5).
      'accounts/sessions.repository.ts',
      // SIGNUP, which is nobody's role.
      'features/auth/auth.service.ts',
      // Checks whether a session's role is unchanged.
      'features/chat/channel-access.repository.ts',
      // Reads the column.
      'features/presence/presence.repository.ts',
      // Checks that an administrator is left.
      'features/users/users.repository.ts',
      'features/users/users.service.ts',
      // The contract's `access` of a call.
      'http/call-server.ts',
      // Checks for the operator whether an administrator is left, and how many there are.
      'maintenance/agreements.ts',
      'maintenance/status.ts',
    ]);
  });

  test('the client of Prometheus is behind one door, which only a server with metrics opens', () => {
    expect(importing(/^@prometheus-io/u).map(({ file }) => file)).toEqual(['logs/metrics-registry.ts']);
    const text = readFileSync(join(SRC, 'start.ts'), 'utf8');
    expect(text).not.toMatch(/^import (?!type).*metrics-registry/mu);
  });

  test('Socket.IO is behind one door', () => {
    const using = importing(/^socket\.io/u).map(({ file }) => file);
    expect(using.sort()).toEqual(['sockets/broadcast-adapters.ts', 'sockets/gateway.ts']);
    // The second file is a part of the first, which alone imports it.
    expect(importing(/adapters\.ts$/u).map(({ file }) => file)).toEqual(['sockets/gateway.ts']);
    const door = importing(/sockets\/gateway\.ts$|\.\/gateway\.ts$/u).map(({ file }) => file);
    expect(door.filter((file) => file.startsWith('features/'))).toEqual([]);
  });
});
