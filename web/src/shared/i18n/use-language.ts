import { useStorage } from '../services.tsx';
import { useSnapshot } from '../use-snapshot.ts';
import type { Language } from './languages.ts';
import { useI18n } from './use-translation.tsx';

/** The language that is shown. */
export const useShownLanguage = (): Language => useSnapshot(useI18n());

/** The current language, and a function that changes and stores it. */
export function useLanguage(): { current: Language; choose: (next: Language) => void } {
  const i18n = useI18n();
  const storage = useStorage();
  return {
    current: useShownLanguage(),
    choose(next) {
      storage.writePreference('language', next);
      // If the words can't be loaded, nothing changes now; the next page uses the language.
      i18n.changeLanguage(next).catch(() => undefined);
    },
  };
}
