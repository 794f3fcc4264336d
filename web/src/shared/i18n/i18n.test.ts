import { describe, expect, test, vi } from 'vitest';
import type { Language } from '#src/shared/languages.ts';
import { ChunkGoneError } from '#src/shared/renewal.ts';
import { deBefore, type I18nDeps, openI18n } from './i18n.ts';

const WORDS: Record<Language, Record<string, unknown>> = {
  fr: { close: 'Fermer', errors: { not_found: 'Introuvable' } },
  en: { close: 'Close', errors: { not_found: 'Not found' } },
  de: { close: 'Schließen', errors: { not_found: 'Nicht gefunden' } },
};

const speaking = (texts: Record<string, unknown>, language: Language = 'fr') =>
  openI18n({ language, load: async () => ({}), known: [[language, 'shared', texts]] }).fixedT(language, 'shared') as (
    key: string | readonly string[],
    values?: Record<string, unknown>,
  ) => string;

describe('a sentence', () => {
  test('takes its plural form by the rules of its language', () => {
    const texts = { row_one: '{{count}} ligne', row_many: '{{count}} de lignes', row_other: '{{count}} lignes' };
    const t = speaking(texts);
    expect([0, 1, 2, 2_000_000].map((count) => t('row', { count }))).toEqual([
      '0 ligne',
      '1 ligne',
      '2 lignes',
      '2\u202f000\u202f000 de lignes',
    ]);
    expect(speaking({ row_one: 'one', row_other: 'others' }, 'en')('row', { count: 0 })).toBe('others');
  });

  test('takes values as they are, and leaves nothing where there is none', () => {
    const t = speaking({ hello: '« {{name}} »{{more}}', of: 'le nom {{name, de}}' });
    expect(t('hello', { name: '$& {{name}} <b>' })).toBe('« $& {{name}} <b> »');
    expect(t('of', { name: 'Ambulances' })).toBe('le nom d’Ambulances');
  });

  test('[NAME5] isolates a value that runs from right to left, once, and no other', () => {
    const t = speaking({ question: 'Supprimer {{name}} ?', of: 'le nom {{name, de}}' });
    expect(t('question', { name: 'דנה' })).toBe('Supprimer \u2068דנה\u2069 ?');
    expect(t('question', { name: '\u2068דנה\u2069 · PC 1' })).toBe('Supprimer \u2068דנה\u2069 · PC 1 ?');
    expect(t('question', { name: 'Awa' })).toBe('Supprimer Awa ?');
    expect(t('of', { name: 'דנה' })).toBe('le nom de \u2068דנה\u2069');
  });

  test('is that of the first key that has one; a key without one is said itself', () => {
    const t = speaking({ a: { b: 'B' } });
    expect(t(['a.x', 'a.b'])).toBe('B');
    expect([t('a'), t('a.x.y')]).toEqual(['a', 'a.x.y']);
  });
});

/** Opens the texts, whose loads are answered when the test says so. */
function open() {
  const asked: { language: Language; answer: (isThere: boolean) => void }[] = [];
  const load = vi.fn<I18nDeps['load']>(
    (language) =>
      new Promise((resolve, reject) => {
        asked.push({ language, answer: (isThere) => (isThere ? resolve(WORDS[language]) : reject(new Error('404'))) });
      }),
  );
  const i18n = openI18n({ language: 'fr', load, known: [['fr', 'shared', WORDS.fr]] });
  void i18n.pending('fr', 'shared');
  const answer = (language: Language, isThere = true) =>
    asked.find((one) => one.language === language)?.answer(isThere);
  return { i18n, answer, load, asked };
}

describe('another language', () => {
  test('is shown when its words are there, and told then', async () => {
    const { i18n, answer } = open();
    const told = vi.fn();
    i18n.subscribe(told);
    const changed = i18n.changeLanguage('en');
    expect(i18n.getSnapshot()).toBe('fr');
    answer('en');
    await changed;
    expect(i18n.getSnapshot()).toBe('en');
    expect(told).toHaveBeenCalledOnce();
    expect(i18n.fixedT('en', 'shared')('close')).toBe('Close');
  });

  test('whose words come late is not shown over one chosen since', async () => {
    const { i18n, answer } = open();
    const english = i18n.changeLanguage('en');
    const german = i18n.changeLanguage('de');
    answer('de');
    await german;
    answer('en');
    await english;
    expect(i18n.getSnapshot()).toBe('de');
  });

  test('whose words are gone is not shown; a second choice tries again', async () => {
    const { i18n, answer, asked } = open();
    const failed = i18n.changeLanguage('en');
    answer('en', false);
    await expect(failed).rejects.toThrow(ChunkGoneError);
    expect(i18n.getSnapshot()).toBe('fr');
    const again = i18n.changeLanguage('en');
    asked.at(-1)?.answer(true);
    await again;
    expect(i18n.getSnapshot()).toBe('en');
  });
});

test('whoever renders waits for one and the same load, and hears that it failed', async () => {
  const { i18n, answer, load } = open();
  const first = i18n.pending('en', 'shared');
  expect(i18n.pending('en', 'shared')).toBe(first);
  answer('en', false);
  await expect(first).rejects.toThrow(ChunkGoneError);
  expect(() => i18n.pending('en', 'shared')).toThrow(ChunkGoneError);
  expect(load).toHaveBeenCalledOnce();
});

test.each([
  ['Nord', 'de Nord'],
  ['Ambulances', 'd’Ambulances'],
  ['Équipe Nord', 'd’Équipe Nord'],
  ['Œuvre', 'd’Œuvre'],
  ['« Est »', 'd’« Est »'],
  ['\u2068Ida\u2069', 'd’\u2068Ida\u2069'],
  ['Yves', 'd’Yves'],
  ['Yann', 'de Yann'],
  ['Hugo', 'de Hugo'],
  ['2e équipe', 'de 2e équipe'],
  ['🚑 Urgences', 'd’🚑 Urgences'],
  ['מוקד', 'de מוקד'],
  ['', 'de '],
])('before «%s» stands «%s»', (name, words) => expect(deBefore(name)).toBe(words));
