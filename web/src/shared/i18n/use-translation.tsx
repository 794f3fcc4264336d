import { createContext, type ReactNode, use } from 'react';
import { ApiError, errorCodeOf } from '#src/shared/api/api-error.ts';
import type { Language } from '#src/shared/languages.ts';
import { useStorage } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import type { I18n, Translate } from './i18n.ts';
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

/** Returns the text of a thrown error in the current language. */
export function useErrorWords(): (error: unknown) => string {
  const { t } = useTranslation('shared');
  return (error) => {
    const params = error instanceof ApiError ? error.params : {};
    const seconds = params.retryAfterSeconds;
    const code = errorCodeOf(error);
    if (code === 'too_many' && seconds !== undefined) return t('errors.too_many_wait', { count: seconds });
    if (code === 'password_too_short') return t('errors.password_too_short', { count: params.minLength ?? 1 });
    return t(`errors.${code}`);
  };
}
