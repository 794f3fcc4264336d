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
      // Without its words all stays as it is; the next page is in it.
      i18n.changeLanguage(next).catch(() => undefined);
    },
  };
}
