import { useTranslation } from 'react-i18next';
import { useStorage } from '../services.tsx';
import { DEFAULT_LANGUAGE, type Language, language } from './languages.ts';

/** The language shown and the way to choose another, which is kept. */
export function useLanguage(): { current: Language; choose: (next: Language) => void } {
  const { i18n } = useTranslation();
  const storage = useStorage();
  return {
    current: language.safeParse(i18n.resolvedLanguage).data ?? DEFAULT_LANGUAGE,
    choose(next) {
      storage.writePreference('language', next);
      void i18n.changeLanguage(next);
    },
  };
}
