import type { Language } from '#src/shared/i18n/languages.ts';

/** Five decimals are a metre. */
const DECIMALS = 5;
const KILOMETRE = 1_000;

/** Formats degrees in the language. */
export const degrees = (value: number, language: Language): string =>
  `${new Intl.NumberFormat(language, { minimumFractionDigits: DECIMALS, maximumFractionDigits: DECIMALS }).format(value)}°`;

type Accuracy =
  | { unit: 'metres'; figures: { metres: number } }
  | { unit: 'kilometres'; figures: { kilometres: string } };

/** Rounds an accuracy: nobody needs tenths of metres, or the metres of ten kilometres. */
export function accuracyOf(metres: number | null, language: Language): Accuracy | null {
  if (metres === null) return null;
  if (metres < KILOMETRE) return { unit: 'metres', figures: { metres: Math.max(1, Math.round(metres)) } };
  const kilometres = new Intl.NumberFormat(language, { maximumSignificantDigits: 2 }).format(metres / KILOMETRE);
  return { unit: 'kilometres', figures: { kilometres } };
}
