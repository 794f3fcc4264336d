import i18next, { type BackendModule, type FormatterModule, type i18n, type ResourceKey } from 'i18next';
import { initReactI18next } from 'react-i18next';
import { formatNumber } from '../format/format.ts';
import type { AppStorage } from '../storage.ts';
import { DEFAULT_LANGUAGE, LANGUAGES, type Language, language } from './languages.ts';
import type {} from './typed-words.ts';

const loaders: Record<Language, () => Promise<{ words: Record<string, Record<string, unknown>> }>> = {
  fr: () => import('./words-fr.ts'),
  en: () => import('./words-en.ts'),
  de: () => import('./words-de.ts'),
};

/** Loads a language's chunk; `import()` caches it, so further namespaces cost nothing. */
const backend: BackendModule = {
  type: 'backend',
  init() {},
  read(wanted, namespace, done) {
    const known = language.safeParse(wanted);
    if (!known.success) {
      done(new Error(`No words for ${wanted}`), false);
      return;
    }
    loaders[known.data]().then(
      ({ words }) => done(null, words[`../../locales/${known.data}/${namespace}.json`] as ResourceKey),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), true),
    );
  },
};

/** The namespaces that the first screen needs. */
export const NAMESPACES = [
  'shared',
  'app',
  'auth',
  'activities',
  'channels',
  'dashboard',
  'forms',
  'transfer',
  'userForm',
  'users',
  'voice',
] as const;

/**
 * Formats interpolated values: numbers with thousands separators, everything else unchanged. Small numbers skip
 * Intl.NumberFormat, because the room's texts are rendered often while people talk.
 */
const formatter: FormatterModule = {
  type: 'formatter',
  init() {},
  add() {},
  addCached() {},
  format: (value: unknown, _format, shown) =>
    typeof value === 'number' && Math.abs(value) >= 1_000
      ? formatNumber(value, language.safeParse(shown).data ?? DEFAULT_LANGUAGE)
      : (value as string),
};

/** Initialises i18next in the stored language, else French; sets the page's `lang` and stores each change. */
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
      ns: [...NAMESPACES],
      defaultNS: 'shared',
      interpolation: { escapeValue: false, alwaysFormat: true },
      react: { useSuspense: true },
    });
  return instance;
}
