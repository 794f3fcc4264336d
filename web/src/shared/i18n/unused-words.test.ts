import { expect, test } from 'vitest';

const WORDS = import.meta.glob<Record<string, unknown>>('../../locales/fr/*.json', { eager: true, import: 'default' });
const SOURCES = import.meta.glob<string>(['../../**/*.{ts,tsx}', '!../../**/*.test.{ts,tsx}'], {
  eager: true,
  query: '?raw',
  import: 'default',
});
/** The page itself says these to browsers that can't run the app (vite/frame-words.ts). */
const PLAIN = /^app\.oldBrowser\./u;
/** Composed of parts that make sense only together; the test of the sentences says each of them. */
const SENTENCES = /^activities\.(?:did|short)\./u;
const PLURAL = /_(?:one|many|other)$/u;

/** Returns the path ('a.b.c') of every text, without plural forms. */
function keysOf(words: Record<string, unknown>, path = ''): string[] {
  return Object.entries(words).flatMap(([key, inner]) =>
    typeof inner === 'string'
      ? [`${path}${key}`.replace(PLURAL, '')]
      : keysOf(inner as Record<string, unknown>, `${path}${key}.`),
  );
}

const code = Object.values(SOURCES).join('\n');
const literals = new Set([...code.matchAll(/'([\w.]+)'|"([\w.]+)"|`([\w.]+)`/gu)].map(([, a, b, c]) => a ?? b ?? c));
/** Composed keys: the text between the gaps, at least a word and its point. */
const patterns = [...new Set([...code.matchAll(/`([\w.]*\$\{[^`]+)`/gu)].map(([, text = '']) => text))]
  .map((text) => text.split(/\$\{(?:[^{}]|\{[^}]*\})*\}/u))
  .filter((parts) => parts.every((part) => /^[\w.]*$/u.test(part)) && /\w\w\./u.test(parts.join(' ')))
  .map((parts) => new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('[\\w.]*')}$`, 'u'));

const isUsed = (key: string): boolean => literals.has(key) || patterns.some((pattern) => pattern.test(key));

test('no word is there that nothing says', () => {
  expect(Object.keys(SOURCES).length).toBeGreaterThan(300);
  const unused = Object.entries(WORDS).flatMap(([file, words]) => {
    const namespace = file.replace(/^.*\/(\w+)\.json$/u, '$1');
    return keysOf(words)
      .filter((key) => !isUsed(key) && !isUsed(`${namespace}.${key}`))
      .map((key) => `${namespace}.${key}`)
      .filter((key) => !SENTENCES.test(key) && !PLAIN.test(key));
  });
  expect([...new Set(unused)]).toEqual([]);
});
