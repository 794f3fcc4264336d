import { POSITION_STALE_MS } from '@pressel/contract/limits';
import { initials } from '#src/shared/format/format.ts';
import type { Language } from '#src/shared/languages.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Returns a text's letters as people see them, without white space. */
const lettersOf = (text: string): string[] =>
  [...new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(text)]
    .map(({ segment }) => segment)
    .filter((letter) => letter.trim() !== '');

/**
 * Three-letter calls for help: nobody who reads one on a map of people at work may take it for a name. Longer words
 * (HELP, HILFE, MAYDAY) cannot be a label.
 */
const ALARMS: Record<Language | 'all', readonly string[]> = {
  all: ['SOS', 'PAN', 'MOB'],
  fr: ['FEU', 'TIR'],
  en: ['AID', 'GUN', 'DIE'],
  de: ['NOT', 'TOT'],
};
const isAlarm = (letters: string): boolean =>
  Object.values(ALARMS).flat().includes(letters.normalize('NFD').replaceAll(/\p{M}/gu, ''));

/**
 * Returns first, second and last letter of the pseudo, or the initials where there is none (POS20). Never a call for
 * help (POS37).
 */
export function markerLabel(pseudo: string, displayName: string): string {
  const letters = lettersOf(pseudo);
  if (letters.length === 0) return initials(displayName);
  const chosen = letters.length <= 3 ? letters : [letters[0], letters[1], letters[letters.length - 1]];
  const label = chosen.join('').toUpperCase();
  return isAlarm(label) ? chosen.slice(0, 2).join('').toUpperCase() : label;
}

export const isStale = (ageMs: number): boolean => ageMs > POSITION_STALE_MS;

/** An age in the largest unit that it fills: nobody needs the minutes of yesterday. */
export type Age = { unit: 'now' } | { unit: 'minutes' | 'hours' | 'days'; count: number };

export function ageOf(ageMs: number): Age {
  if (ageMs < MINUTE_MS) return { unit: 'now' };
  if (ageMs < HOUR_MS) return { unit: 'minutes', count: Math.floor(ageMs / MINUTE_MS) };
  if (ageMs < DAY_MS) return { unit: 'hours', count: Math.floor(ageMs / HOUR_MS) };
  return { unit: 'days', count: Math.floor(ageMs / DAY_MS) };
}
