import { z } from '@pressel/contract/zod';

/** The available languages. The first is the default, regardless of the browser's language. */
export const LANGUAGES = ['fr', 'en', 'de'] as const;
export const language = z.enum(LANGUAGES);
export type Language = z.infer<typeof language>;
export const DEFAULT_LANGUAGE: Language = 'fr';

/** Labels of the language switch, and each language's own name. */
export const LANGUAGE_LABELS: Record<Language, { short: string; name: string }> = {
  fr: { short: 'Fr', name: 'Français' },
  en: { short: 'En', name: 'English' },
  de: { short: 'De', name: 'Deutsch' },
};
