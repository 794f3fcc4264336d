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

/** Reads a language's chunk; `import()` keeps it, so that each namespace of it costs nothing more. */
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

/** The namespaces that the shell and the sign-in screens need before anything is shown. */
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
 * What fills a gap of a sentence: numbers with their thousands apart, as pagers have them; all else as it is. Small
 * numbers have nothing to set apart, and the words of a room change while people talk.
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

/** Starts the words: in the kept language, else French. Sets the page's `lang`, and keeps each choice. */
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
