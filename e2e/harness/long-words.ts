import type { Page } from '@playwright/test';
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

/**
 * Lengthens the words of a language on their way to a page. The build has each sentence between backquotes. Playwright's own `route` would
 * stop every request of the page, and switch its cache off.
 */
export async function lengthenWords(page: Page, language: Language): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  devtools.on('Fetch.requestPaused', async ({ requestId }) => {
    try {
      const { body, base64Encoded } = await devtools.send('Fetch.getResponseBody', { requestId });
      const source = Buffer.from(body, base64Encoded ? 'base64' : 'utf8').toString();
      const longer = source.replace(/`((?:[^`\\]|\\.)*)`/gsu, (_, sentence: string) => `\`${lengthened(sentence)}\``);
      await devtools.send('Fetch.fulfillRequest', {
        requestId,
        responseCode: 200,
        responseHeaders: [{ name: 'content-type', value: 'text/javascript' }],
        body: Buffer.from(longer).toString('base64'),
      });
    } catch {
      // The page was left meanwhile. After any other fault its words stay short, and the test finds them.
      await devtools.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
    }
  });
  const urlPattern = `*/assets/words-${language}-*`;
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern, requestStage: 'Response' }] });
}
