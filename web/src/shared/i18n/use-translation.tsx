import { createContext, type ReactNode, use } from 'react';
import { useSnapshot } from '../use-snapshot.ts';
import type { I18n, Translate } from './i18n.ts';
import type { Namespace } from './words-bundles.ts';

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
