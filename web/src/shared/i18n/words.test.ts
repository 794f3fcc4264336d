import { ERRORS } from '@pressel/contract/errors';
import { describe, expect, test } from 'vitest';
import { LANGUAGES, type Language } from '#src/shared/languages.ts';
import { CLIENT_ERROR_CODES } from '../api/api-error.ts';
import { createI18n } from './i18n.ts';
import { WORDS_BUNDLES } from './words-bundles.ts';

const FILES = import.meta.glob<Record<string, unknown>>('../../locales/*/*.json', { eager: true, import: 'default' });
const NAMESPACES = Object.values(WORDS_BUNDLES).flat();
const PLURAL = /_(?:zero|one|two|few|many|other)$/;

/** The texts of a namespace by key: 'a.b.c' → text. */
function sentences(language: Language, namespace: string): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value === 'string') found.set(path, value);
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) walk(inner, path === '' ? key : `${path}.${key}`);
  };
  walk(FILES[`../../locales/${language}/${namespace}.json`], '');
  return found;
}

/** The key without plural suffix. Keys such as 'too_many' have none. */
const baseOf = (key: string, keys: ReadonlyMap<string, string>): string => {
  const base = key.replace(PLURAL, '');
  return keys.has(`${base}_other`) ? base : key;
};

const baseKeys = (language: Language, namespace: string) => {
  const all = sentences(language, namespace);
  return [...new Set([...all.keys()].map((key) => baseOf(key, all)))].sort();
};

/** Placeholders by key, with plural forms merged, because 'one' may leave out the number. */
function gaps(language: Language, namespace: string): Record<string, string[]> {
  const found: Record<string, Set<string>> = {};
  const all = sentences(language, namespace);
  for (const [key, text] of all) {
    const base = baseOf(key, all);
    found[base] ??= new Set();
    for (const [, name = ''] of text.matchAll(/\{\{(\w+)(?:, de)?\}\}/g)) found[base].add(name);
  }
  return Object.fromEntries(Object.entries(found).map(([key, names]) => [key, [...names].sort()]));
}

describe.each(NAMESPACES)('the words of %s', (namespace) => {
  test.each(LANGUAGES.filter((one) => one !== 'fr'))('are all there in %s, with the same gaps', (language) => {
    expect(baseKeys(language, namespace)).toEqual(baseKeys('fr', namespace));
    expect(gaps(language, namespace)).toEqual(gaps('fr', namespace));
  });

  test.each(LANGUAGES)('have every plural form that %s needs', (language) => {
    const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    const all = sentences(language, namespace);
    for (const key of all.keys()) {
      const base = baseOf(key, all);
      if (base === key) continue;
      for (const form of needed) expect([...all.keys()]).toContain(`${base}_${form}`);
    }
  });

  test.each(LANGUAGES)('are never blank in %s', (language) => {
    for (const [key, text] of sentences(language, namespace)) expect(text.trim(), key).not.toBe('');
  });
});

test('no line of French begins with its own punctuation', () => {
  for (const namespace of NAMESPACES) {
    for (const [key, text] of sentences('fr', namespace))
      expect(text, `${namespace}.${key}`).not.toMatch(/ [?!;:»]|« /);
  }
});

/** Slips that a printer would mark. In French the narrow space stands before ? ! ; and the wide one before the colon. */
const SLIPS: Record<Language, RegExp> = {
  fr: /\u00a0[?!;]|\u202f:|\w'\w/u,
  en: /\w'\w/u,
  // An ellipsis stands for omitted words, not for letters.
  de: /\p{L}…|\w'\w/u,
};

test.each(LANGUAGES)('spaces and apostrophes are those of print in %s', (language) => {
  const slips = NAMESPACES.flatMap((namespace) =>
    [...sentences(language, namespace)]
      .filter(([, text]) => SLIPS[language].test(text))
      .map(([key, text]) => `${namespace}.${key}: ${text}`),
  );
  expect(slips).toEqual([]);
});

test.each([
  ['fr', '1\u202f303 coéquipiers'],
  ['en', '1,303 users'],
  ['de', '1.303 Benutzer'],
] as const)('counts have their thousands apart in %s', async (language, words) => {
  const i18n = await createI18n({ readPreference: (_name, schema) => schema.parse(language) });
  await i18n.loadNamespaces(['users']);
  expect(i18n.fixedT(language, 'users')('count', { count: 1303 })).toBe(words);
});

test.each(LANGUAGES)('every error code has its sentence in %s', (language) => {
  const known = sentences(language, 'shared');
  for (const code of [...Object.keys(ERRORS), ...CLIENT_ERROR_CODES]) {
    expect(known.has(`errors.${code}`) || known.has(`errors.${code}_other`), code).toBe(true);
  }
});

test.each(LANGUAGES)('every file of words in %s is in a bundle', (language) => {
  const paths = Object.keys(FILES).filter((path) => path.includes(`/${language}/`));
  const files = paths.map((path) => path.replace(/^.*\/(\w+)\.json$/, '$1'));
  expect(files.sort()).toEqual([...NAMESPACES].sort());
});
