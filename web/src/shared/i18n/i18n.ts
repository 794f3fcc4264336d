import i18next, { type BackendModule, type FormatterModule, type i18n, type ResourceKey } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { deBefore } from '../format/elision.ts';
import { formatNumber } from '../format/format.ts';
import type { AppStorage } from '../storage.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, language } from './languages.ts';
import type {} from './typed-words.ts';
import { loadWords } from './words.ts';
import { type Namespace, WORDS_BUNDLES } from './words-bundles.ts';

const backend: BackendModule = {
  type: 'backend',
  init() {},
  read(wanted, namespace, done) {
    loadWords(wanted, namespace as Namespace).then(
      (words) => done(null, words as ResourceKey),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), true),
    );
  },
};

/**
 * Formats interpolated values: numbers with thousands separators, names after a French 'de' ('{{name, de}}'), everything
 * else unchanged. Small numbers skip Intl.NumberFormat, because the room's texts are rendered often while people talk.
 */
export const formatter: FormatterModule = {
  type: 'formatter',
  init() {},
  add() {},
  addCached() {},
  format(value: unknown, format, shown) {
    if (typeof value === 'number' && Math.abs(value) >= 1_000)
      return formatNumber(value, language.safeParse(shown).data ?? DEFAULT_LANGUAGE);
    return format === 'de' ? deBefore(String(value)) : (value as string);
  },
};

/**
 * Initialises i18next in the stored language, else French, with the words that every screen needs; sets the page's `lang`
 * and stores each change. Routes load the rest (app/router.tsx).
 */
export async function createI18n(storage: Pick<AppStorage, 'readPreference' | 'writePreference'>): Promise<i18n> {
  const instance = i18next.createInstance();
  instance.on('languageChanged', (chosen) => {
    document.documentElement.lang = chosen;
  });
  await instance
    .use(backend)
    .use(formatter)
    .use(initReactI18next)
    .init({
      lng: storage.readPreference('language', language) ?? DEFAULT_LANGUAGE,
      fallbackLng: false,
      supportedLngs: [...LANGUAGES],
      ns: [...WORDS_BUNDLES.door],
      defaultNS: 'shared',
      interpolation: { escapeValue: false, alwaysFormat: true },
      react: { useSuspense: true },
    });
  return instance;
}
