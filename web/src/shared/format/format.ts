import type { Language } from '../i18n/languages.ts';

/** A moment as 'dd MMM yyyy HH:mm' (spec §3) in a language, in the user's zone unless another is given. */
export function formatDateTime(instant: string, language: Language, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat(language, {
    day: '2-digit',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).formatToParts(new Date(instant));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('day')} ${part('month')} ${part('year')} ${part('hour')}:${part('minute')}`;
}

/** A count, its thousands apart. */
export const formatNumber = (count: number, language: Language): string =>
  new Intl.NumberFormat(language).format(count);

/** The clock's time, 'HH:mm:ss'. */
export const formatClock = (ms: number, language: Language): string =>
  new Intl.DateTimeFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(ms);

/** The clock's day in words, such as 'samedi 21 novembre'. */
export const formatDay = (ms: number, language: Language): string =>
  new Intl.DateTimeFormat(language, { weekday: 'long', day: 'numeric', month: 'long' }).format(ms);

/** A comparison of names as people of a language order them, numbers by value. */
export const nameOrder = (language: Language): ((a: string, b: string) => number) =>
  new Intl.Collator(language, { numeric: true, sensitivity: 'base' }).compare;

/** Text as filters compare it: without case and accents. */
export const foldText = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();

/** How a user is named in lists: first and last name, else the login. */
export const fullName = (user: { firstName: string; lastName: string; identifier: string }): string =>
  `${user.firstName} ${user.lastName}`.trim() || user.identifier;

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * A name made safe to stand inside a sentence: one written from right to left is isolated (U+2068…U+2069), so that it
 * does not drag the words and digits around it out of order. Other names come back as they are.
 */
export const inSentence = (name: string): string => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);
