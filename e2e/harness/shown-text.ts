import type { Page } from '@playwright/test';
import { getAllActivities } from '@pressel/contract/activities';
import { getAllChannels } from '@pressel/contract/channels';
import { ACTIVITIES_MAX_LIMIT } from '@pressel/contract/limits';
import { getAllUsers } from '@pressel/contract/users';
import type { Api, Person } from './api.ts';
import { type Language, patternOf, sentencesOf } from './words.ts';

/** All that a page says in a language: seen text, names of controls, hints in fields, and the tab's title. */
export async function shownText(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const said = new Set<string>([document.title]);
    // An element that names another language is written in that language.
    const isForeign = (element: Element) => element.closest('[lang]') !== document.documentElement;
    for (const element of document.querySelectorAll('body, body *')) {
      if (isForeign(element) || !element.checkVisibility({ visibilityProperty: true })) continue;
      for (const name of ['aria-label', 'placeholder', 'title', 'alt']) said.add(element.getAttribute(name) ?? '');
      if (['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(element.tagName)) continue;
      for (const node of element.childNodes) {
        if (node.nodeType === Node.TEXT_NODE) said.add(node.textContent ?? '');
      }
    }
    return [...said].map((text) => text.replace(/\s+/gu, ' ').trim()).filter((text) => text !== '');
  });
}

const SIGNS_ONLY = /^[^\p{L}]*$/u;
const INITIALS = /^\p{Lu}{1,2}[\p{Lu}\d]?$/u;
/** The address of a page, in a field or to be copied. */
const ADDRESS = /^https?:\/\/\S+$/u;
/** A password as it is made for a new account. */
const PASSWORD = /^[a-z\d]{4}(?:-[a-z\d]{4}){3}$/u;
const EMAIL = /^\S+@\S+$/u;

const GAP = /\{\{[^}]*\}\}/gu;

/** Finds the parts of a page's text that are neither of this language nor data: hard-coded words, and words of other languages. */
export function foreignWordsIn(language: Language, data: readonly string[]): (texts: readonly string[]) => string[] {
  // French sets thin spaces before its signs; here they are all spaces.
  const sentences = [...sentencesOf(language).values()].map((text) => text.replace(/\s+/gu, ' '));
  const hasWords = (text: string) => /\p{L}/u.test(text.replace(GAP, ''));
  const whole = new Set(sentences.filter(hasWords));
  const patterns = [...whole].filter((text) => text.includes('{{')).map(patternOf);
  // A sentence that has words in its gaps alone would fit any text, so these must be known. A lone gap says nothing.
  const frames = [...new Set(sentences)]
    .filter((text) => !hasWords(text) && text.replace(GAP, '') !== '')
    .flatMap((text) => {
      const { source } = patternOf(text);
      // The sign between the gaps may stand in what fills them too.
      return [source.replaceAll('.+', '(.+)'), source.replaceAll('.+', '(.+?)')].map((one) => new RegExp(one, 'u'));
    });
  const isSentence: IsSentence = (text, isKnown) =>
    whole.has(text) ||
    patterns.some((pattern) => pattern.test(text)) ||
    frames.some((frame) => frame.exec(text)?.slice(1).every(isKnown) === true);
  return strangersTo(language, isSentence, data);
}

/** `isKnown` is for a part of the text that stands by itself. */
type IsSentence = (text: string, isKnown: (part: string) => boolean) => boolean;

/** Finds the parts of a page's text that are no sentence of the interface, no data, and not common to all languages. */
export function strangersTo(
  language: Language,
  isSentence: IsSentence,
  data: readonly string[],
): (texts: readonly string[]) => string[] {
  const measures = measureWords(language);
  const names = new Set(data);
  const isMeasure = (text: string) => (text.match(/\p{L}+/gu) ?? []).every((word) => measures.has(word.toLowerCase()));
  /** An entry of the log as plain text: a name, and the act. */
  const isEntry = (text: string) =>
    data.some((name) => text.startsWith(`${name} `) && isSentence(text.slice(name.length + 1), isKnown));
  /** Some announcements are a title and a sentence. */
  const isTwoSentences = (text: string) => {
    const end = text.indexOf('. ');
    return end !== -1 && isKnown(text.slice(0, end)) && isKnown(text.slice(end + 2));
  };
  const isKnown = (text: string): boolean =>
    SIGNS_ONLY.test(text) ||
    INITIALS.test(text) ||
    EMAIL.test(text) ||
    PASSWORD.test(text) ||
    ADDRESS.test(text) ||
    text === 'Pressel' ||
    // The text is one name, or several in a row.
    text.split(', ').every((name) => names.has(name)) ||
    isMeasure(text) ||
    isSentence(text, isKnown) ||
    isEntry(text) ||
    isTwoSentences(text) ||
    (text.endsWith(' · Pressel') && isKnown(text.slice(0, -' · Pressel'.length)));
  // Most texts of a screen were on the screen before it.
  const known = new Set<string>();
  const isNew = (text: string): boolean => {
    if (!known.has(text) && isKnown(text)) known.add(text);
    return !known.has(text);
  };
  return (texts) => texts.filter(isNew);
}

/** Every word that a date, a duration or a distance may hold in a language. */
function measureWords(language: Language): ReadonlySet<string> {
  const words = new Set<string>();
  for (const unit of ['hour', 'minute', 'second', 'kilometer', 'meter', 'centimeter']) {
    const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' });
    for (const word of format.format(2).match(/\p{L}+/gu) ?? []) words.add(word.toLowerCase());
  }
  for (const style of ['long', 'short'] as const) {
    const format = new Intl.DateTimeFormat(language, { weekday: style, day: 'numeric', month: style, timeZone: 'UTC' });
    // Every weekday and every month comes up in a year.
    for (let day = 0; day < 366; day += 1) {
      for (const word of format.format(Date.UTC(2024, 0, 1 + day)).match(/\p{L}+/gu) ?? [])
        words.add(word.toLowerCase());
    }
  }
  return words;
}

/** All texts anywhere in a value whose key has "name" in it. */
function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' ? (/name/iu.test(key) ? [inner] : []) : namesIn(inner),
  );
}

/** Every name that lists may show: other tests left theirs on the worker's server. */
export async function namesOn(api: Api, admin: Person): Promise<string[]> {
  const users = (await api.call(getAllUsers, {}, admin.token)).res;
  const channels = (await api.call(getAllChannels, {}, admin.token)).res;
  const log = (await api.call(getAllActivities, { limit: ACTIVITIES_MAX_LIMIT }, admin.token)).res.activities;
  return [
    // The log has former names of users, and names of users who are gone.
    ...namesIn(log),
    ...users.flatMap(({ firstName, lastName, pseudo }) => [firstName, lastName, `${firstName} ${lastName}`, pseudo]),
    ...channels.map(({ name }) => name),
  ].map((name) => name.replace(/\s+/gu, ' ').trim());
}
