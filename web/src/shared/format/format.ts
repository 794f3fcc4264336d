import type { ChannelMember } from '@pressel/contract/users';
import type { Language } from '#src/shared/languages.ts';
import { dateFormat, numberFormat } from './formatters.ts';

/** The browser's time zone, by its IANA name. */
export const ownTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Formats a timestamp as 'dd MMM yyyy HH:mm' (spec §3), by default in the browser's time zone. */
export function formatDateTime(instant: string, language: Language, timeZone?: string): string {
  const part = partsOf(instant, language, { day: '2-digit', year: 'numeric' }, timeZone);
  return `${part('day')} ${part('month')} ${part('year')} ${part('hour')}:${part('minute')}`;
}

/** A timestamp to the second, 'dd MMM yyyy HH:mm:ss', in the browser's time zone. */
export function formatExactTime(instant: string, language: Language): string {
  const part = partsOf(instant, language, { second: '2-digit' }, undefined);
  return `${formatDateTime(instant, language)}:${part('second').padStart(2, '0')}`;
}

/** Formats a day as 'dd MMM yyyy', in the browser's time zone. */
export function formatShortDate(instant: string, language: Language): string {
  const part = partsOf(instant, language, { day: '2-digit', year: 'numeric' }, undefined);
  return `${part('day')} ${part('month')} ${part('year')}`;
}

/** Formats the time of a message as 'd MMM , HH:mm' (spec §9), by default in the browser's time zone. */
export function formatMessageTime(instant: string, language: Language, timeZone?: string): string {
  const part = partsOf(instant, language, { day: 'numeric' }, timeZone);
  return `${part('day')} ${part('month')} , ${part('hour')}:${part('minute')}`;
}

function partsOf(
  instant: string,
  language: Language,
  options: Intl.DateTimeFormatOptions,
  timeZone: string | undefined,
): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = dateFormat(language, {
    ...options,
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(timeZone === undefined ? {} : { timeZone }),
  }).formatToParts(new Date(instant));
  return (type) => parts.find((one) => one.type === type)?.value ?? '';
}

/** Formats a count with thousands separators. */
export const formatNumber = (count: number, language: Language): string => numberFormat(language).format(count);

/** Time of day, 'HH:mm:ss'. */
export const formatClock = (ms: number, language: Language): string =>
  dateFormat(language, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(ms);

/** Whether a moment is today, in the browser's zone. */
export const isToday = (at: Date, now = new Date()): boolean => at.toDateString() === now.toDateString();

/** A moment as briefly as possible: 'HH:mm' if today, else the day, such as '21 nov.'. */
export function formatRecent(instant: string, language: Language, now = new Date()): string {
  const at = new Date(instant);
  const options = isToday(at, now)
    ? ({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const)
    : ({ day: 'numeric', month: 'short' } as const);
  return dateFormat(language, options).format(at);
}

/** A moment with its time: 'HH:mm' if today, else 'dd MMM yyyy HH:mm'. */
export function formatRecentTime(instant: string, language: Language, now = new Date()): string {
  const at = new Date(instant);
  return isToday(at, now) ? formatTime(at.getTime(), language) : formatDateTime(instant, language);
}

/** Time of day without seconds, 'HH:mm'. */
export const formatTime = (ms: number, language: Language): string =>
  dateFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(ms);

/** The day of the week, such as 'samedi'. */
export const formatWeekday = (ms: number, language: Language): string =>
  dateFormat(language, { weekday: 'long' }).format(ms);

/** A day without its weekday, such as '21 novembre'. */
export const formatDayOfMonth = (ms: number, language: Language): string =>
  dateFormat(language, { day: 'numeric', month: 'long' }).format(ms);

/** Date in words, such as 'samedi 21 novembre'. */
export const formatDay = (ms: number, language: Language): string =>
  dateFormat(language, { weekday: 'long', day: 'numeric', month: 'long' }).format(ms);

/** A calendar day, yyyy-MM-dd, such as '21 nov.'. */
export const formatShortDay = (day: string, language: Language): string =>
  dateFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(new Date(day));

/** A growth in percent, with its sign: '+12,5 %'. */
export const formatChange = (percent: number, language: Language): string =>
  numberFormat(language, { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' }).format(
    percent / 100,
  );

/** A duration in its two largest units: '1 h 05 min', '12 min 3 s', '7 s'. */
export function formatDuration(ms: number, language: Language): string {
  // A talk that was heard took time, so it never shows as none.
  const seconds = ms > 0 ? Math.max(1, Math.round(ms / 1_000)) : 0;
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const parts: [number, 'hour' | 'minute' | 'second'][] =
    hours > 0
      ? [
          [hours, 'hour'],
          [minutes, 'minute'],
        ]
      : [
          [minutes, 'minute'],
          [seconds % 60, 'second'],
        ];
  const told = parts.filter(([amount]) => amount > 0);
  return (told.length === 0 ? [[0, 'second'] as const] : told)
    .map(([amount, unit]) => numberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(amount))
    .join(' ');
}
/** Date in words with its year, such as 'samedi 21 novembre 2026'. */
export const formatDate = (ms: number, language: Language): string =>
  dateFormat(language, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }).format(ms);

/** Names in a row, each isolated: 'Ida, Max et Lea'. */
export const formatList = (names: readonly string[], language: Language): string =>
  new Intl.ListFormat(language, { type: 'conjunction' }).format(names.map(isolated));

interface Names {
  firstName: string;
  lastName: string;
}

/** First and last name; empty where there is neither. */
export const namesOf = ({ firstName, lastName }: Names): string => `${firstName} ${lastName}`.trim();

/** A user's name in lists: first and last name, else the login. */
export const fullName = (user: Names & { identifier: string }): string => namesOf(user) || user.identifier;

/** Letters of scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Isolates a name with right-to-left letters (U+2068…U+2069) from the text around it, so that it reorders none of it
 * (NAME5). Other names, and texts whose names are isolated already, are returned unchanged. Translations isolate names
 * by themselves.
 */
export const isolated = (name: string): string =>
  RIGHT_TO_LEFT.test(name) && !isComposed(name) ? `\u2068${name}\u2069` : name;

const isComposed = (name: string): boolean => name.includes('\u2068');

/**
 * The `dir` of an element that shows a name: the name's own, so that a long one is cut off at its end. A text of
 * several isolated names keeps their order.
 */
export const nameDirection = (name: string): 'auto' | 'ltr' => (isComposed(name) ? 'ltr' : 'auto');

/** One or two initials of a name; `?` when it has no letter or digit. */
export function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [];
  const first = words[0];
  if (first === undefined) return '?';
  const last = words.length > 1 ? words[words.length - 1] : undefined;
  return `${firstLetter(first)}${last === undefined ? '' : firstLetter(last)}`.toLocaleUpperCase();
}

const firstLetter = (word: string): string => [...word][0] ?? '';

interface Named extends Pick<ChannelMember, 'firstName' | 'lastName' | 'display_name' | 'pseudo'> {
  /** The login, which the server tells only to administrators. */
  identifier?: string;
}

/**
 * A person's name in lists and choices: first and last name, and the pseudo beside it (ROOM9). The two are isolated
 * from each other (NAME5).
 */
export function memberName(person: Named): string {
  const parts = [namesOf(person), person.pseudo.trim()].filter(
    (part, index, all) => part !== '' && all.indexOf(part) === index,
  );
  if (parts.length > 1) return parts.map(isolated).join(' · ');
  return parts[0] ?? lastResort(person);
}

/** The name for initials: first and last name, and the pseudo only where there is neither (ROOM21). */
export const nameForInitials = (person: Named): string => namesOf(person) || person.pseudo.trim() || lastResort(person);

const lastResort = ({ display_name: displayName, identifier = '' }: Named): string =>
  displayName.trim() || identifier || '—';
