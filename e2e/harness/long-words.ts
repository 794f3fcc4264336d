import type { BrowserContext } from '@playwright/test';
import type { Language } from './words.ts';

/** A language that nobody speaks, of longer words: a space too narrow for it is too narrow for some real language too. */

/** The share of letters that each word gets in addition. */
const LONGER = 0.4;
const MORE_LETTERS = 'ëäïöüÿ'.repeat(10);
const ACCENTS: Record<string, string> = {
  a: 'å',
  e: 'ê',
  i: 'î',
  o: 'ø',
  u: 'û',
  A: 'Å',
  E: 'É',
  I: 'Î',
  O: 'Ø',
  U: 'Û',
};

/** Parts that stay as they are: gaps, and escaped characters of a source. */
const UNTOUCHED = /(\{\{[^}]*\}\}|\\x[\da-f]{2}|\\u[\da-f]{4}|\\.)/iu;

/** The same sentence with accents and longer words, in brackets; its gaps as they were. */
export function lengthened(sentence: string): string {
  const parts = sentence
    .split(UNTOUCHED)
    .map((part) => (UNTOUCHED.test(part) ? part : part.replace(/\p{L}+/gu, longer)));
  return `[${parts.join('')}]`;
}

const longer = (word: string): string =>
  word.replace(/[aeiou]/giu, (letter) => ACCENTS[letter] ?? letter) +
  MORE_LETTERS.slice(0, Math.ceil(word.length * LONGER));

/** Also true after a figure that stands before it ('1 sec · […]'). */
export const isLengthened = (text: string): boolean => /^(?:[^[\]]+ · )?\[.*\]$/su.test(text);

/** Lengthens the words of a language on their way to a browser. The build has each sentence between backquotes. */
export async function lengthenWords(context: BrowserContext, language: Language): Promise<void> {
  await context.route(new RegExp(`/assets/words-${language}-`, 'u'), async (route) => {
    const source = await (await route.fetch()).text();
    const body = source.replace(/`((?:[^`\\]|\\.)*)`/gsu, (_, sentence: string) => `\`${lengthened(sentence)}\``);
    await route.fulfill({ body, contentType: 'text/javascript' });
  });
}
