import { useTranslation } from 'react-i18next';
import { useStorage } from '../services.tsx';
import { DEFAULT_LANGUAGE, type Language, language } from './languages.ts';

/** The language that is shown. */
export function useShownLanguage(): Language {
  const { i18n } = useTranslation();
  return language.safeParse(i18n.resolvedLanguage).data ?? DEFAULT_LANGUAGE;
}

/** The current language, and a function that changes and stores it. */
export function useLanguage(): { current: Language; choose: (next: Language) => void } {
  const { i18n } = useTranslation();
  const storage = useStorage();
  return {
    current: useShownLanguage(),
    choose(next) {
      storage.writePreference('language', next);
      void i18n.changeLanguage(next);
    },
  };
}
