import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const ADVICE = 'It does not exist on plain http. Use randomId of web/src/shared/random-id.ts.';

/** `crypto.randomUUID`, `crypto['randomUUID']`, or `{ randomUUID } = crypto`; an import isn't followed by `=`. */
const PROPERTY = /\.\s*randomUUID|\[\s*['"`]randomUUID|\{[^}]*randomUUID[^}]*\}\s*=(?!>)/u;

/** The lines of code, without those of comments, that use `randomUUID` of a page. */
function usesIn(file: string, text: string): string[] {
  // Node has a function of that name, which the server and its tests import. Pages have only the property of `crypto`.
  const use = /^(?:web|packages)\//u.test(file) ? /randomUUID/u : PROPERTY;
  return text.split('\n').filter((line) => use.test(line) && !/^\s*(?:\/\/|\/?\*)/u.test(line));
}

test.each([
  ['web/src/a.ts', 'const id = crypto.randomUUID();'],
  ['web/src/a.ts', "const id = crypto?.['randomUUID']();"],
  ['web/src/a.ts', 'const { randomUUID: make } = crypto;'],
  ['packages/contract/src/a.ts', 'const make = ({ randomUUID }: Crypto) => randomUUID();'],
  ['e2e/tests/a.spec.ts', 'await page.evaluate(() => crypto.randomUUID());'],
  ['e2e/tests/a.spec.ts', "await page.evaluate(() => crypto?.['randomUUID']());"],
  ['bench/a.ts', 'const { subtle, randomUUID: make } = globalThis.crypto;'],
])('in %s a use of the property is found: %s', (file, line) => {
  expect(usesIn(file, line)).toEqual([line]);
});

test.each([
  "import { createHash, randomUUID } from 'node:crypto';",
  'const id = randomUUID();',
  'const keep = { make: randomUUID };',
])('outside pages the function of Node may be used: %s', (line) => {
  expect(usesIn('server/src/a.ts', line)).toEqual([]);
});

test('no page uses crypto.randomUUID', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.(?:[cm]?[jt]sx?|html)$/u.test(file) && existsSync(join(root, file)));
  expect(files.length).toBeGreaterThan(1_000);
  const found = files
    .filter((file) => file !== 'scripts/random-uuid.test.ts')
    .flatMap((file) => usesIn(file, readFileSync(join(root, file), 'utf8')).map((line) => `${file}: ${line.trim()}`));
  expect(found, ADVICE).toEqual([]);
});
