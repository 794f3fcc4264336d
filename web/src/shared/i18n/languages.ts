import * as z from 'zod';

/** The languages on offer; the first is the default whatever the browser says. */
export const LANGUAGES = ['fr', 'en', 'de'] as const;
export const language = z.enum(LANGUAGES);
export type Language = z.infer<typeof language>;
export const DEFAULT_LANGUAGE: Language = 'fr';

/** What the switcher shows, and each language's name for itself. */
export const LANGUAGE_LABELS: Record<Language, { short: string; name: string }> = {
  fr: { short: 'Fr', name: 'Français' },
  en: { short: 'En', name: 'English' },
  de: { short: 'De', name: 'Deutsch' },
};
