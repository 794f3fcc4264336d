import { POSITION_STALE_MS } from '@pressel/contract/limits';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What a person would call letters of a text, without white space. */
const lettersOf = (text: string): string[] =>
  [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)]
    .map(({ segment }) => segment)
    .filter((letter) => letter.trim() !== '');

/** First, second and last letter of the pseudo in capitals; of the display name where there is no pseudo (POS20). */
export function markerLabel(pseudo: string, displayName: string): string {
  const letters = lettersOf(pseudo.trim() === '' ? displayName : pseudo);
  const chosen = letters.length <= 3 ? letters : [letters[0], letters[1], letters[letters.length - 1]];
  return chosen.join('').toUpperCase();
}

export const isStale = (ageMs: number): boolean => ageMs > POSITION_STALE_MS;

/** An age in the largest unit that it fills: nobody asks for minutes of yesterday. */
export type Age = { unit: 'now' } | { unit: 'minutes' | 'hours' | 'days'; count: number };

export function ageOf(ageMs: number): Age {
  if (ageMs < MINUTE_MS) return { unit: 'now' };
  if (ageMs < HOUR_MS) return { unit: 'minutes', count: Math.floor(ageMs / MINUTE_MS) };
  if (ageMs < DAY_MS) return { unit: 'hours', count: Math.floor(ageMs / HOUR_MS) };
  return { unit: 'days', count: Math.floor(ageMs / DAY_MS) };
}
