import { createContext, type ReactNode, use } from 'react';
import { useStorage } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { I18n, Translate } from './i18n.ts';
import type { Language } from './languages.ts';
import type { Namespace } from './words-bundles.ts';

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

const I18nContext = createContext<I18n | null>(null);

export function I18nProvider({ i18n, children }: { i18n: I18n; children: ReactNode }) {
  return <I18nContext value={i18n}>{children}</I18nContext>;
}

export function useI18n(): I18n {
  const i18n = use(I18nContext);
  if (i18n === null) throw new Error('No I18nProvider above.');
  return i18n;
}

/** Returns the translator of a namespace in the language shown. Suspends until its words are loaded. */
export function useTranslation<N extends Namespace>(namespace: N): { t: Translate<N> } {
  const i18n = useI18n();
  const language = useSnapshot(i18n);
  const pending = i18n.pending(language, namespace);
  // Thrown instead of passed to `use`: after other hooks, `use` makes React lose count of them when it renders again.
  if (pending !== undefined) throw pending;
  return { t: i18n.fixedT(language, namespace) };
}
