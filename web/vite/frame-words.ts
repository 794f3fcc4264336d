import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { LANGUAGES, type Language } from '../src/shared/languages.ts';
import { OLDEST_BROWSERS } from './oldest-browsers.ts';

const LOCALES = join(import.meta.dirname, '../src/locales');

/** The file and path of the static frame's words. They are the pages' own words. */
const SOURCES = {
  activities: 'activities title',
  channels: 'channels title',
  gone: 'app renewal.title',
  goneMore: 'app renewal.text',
  importChannels: 'transfer title.channels',
  importUsers: 'transfer title.users',
  profile: 'userForm profile.title',
  reload: 'app crash.reload',
  room: 'voice talk.joining',
  roomMore: 'guests entry.microphone',
  signIn: 'auth signIn.title',
  signUp: 'auth signUp.title',
  users: 'users title',
} as const;

function sayIn(language: string, source: string): string {
  const [file, path = ''] = source.split(' ');
  const words: unknown = JSON.parse(readFileSync(join(LOCALES, language, `${file}.json`), 'utf8'));
  const said = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], words);
  if (typeof said !== 'string') throw new Error(`${language}/${file}.json has no ${path}`);
  return said;
}

const wordsOf = (language: string) =>
  Object.fromEntries(Object.entries(SOURCES).map(([name, source]) => [name, sayIn(language, source)]));

const PLAIN_PLACE = /<!-- What is said without scripts.*?-->/u;

/**
 * Writes the text for browsers that can't run the app, as plain HTML: for old browsers in one language, without scripts
 * in all.
 */
function plainPages(): string {
  const plain = (language: Language, key: string) =>
    sayIn(language, `app ${key}`).replaceAll(
      /\{\{(\w+)\}\}/gu,
      (_gap, name: keyof typeof OLDEST_BROWSERS) => OLDEST_BROWSERS[name],
    );
  const old = LANGUAGES.map((language) => {
    const [title, text] = [plain(language, 'oldBrowser.title'), plain(language, 'oldBrowser.text')];
    return `<div class="frame-plain frame-old" lang="${language}"><h1>${title}</h1><p>${text}</p></div>`;
  });
  const none = LANGUAGES.map((language) => `<p lang="${language}">${plain(language, 'oldBrowser.noScript')}</p>`);
  return [...old, `<noscript><div class="frame-plain">${none.join('')}</div></noscript>`].join('\n      ');
}

/**
 * The words of the page before any words are loaded: a few in each language, in a template of index.html. boot.ts takes
 * those that it needs for the static frame. Also the words where none will ever be loaded.
 */
export const frameWords: Plugin = {
  name: 'frame-words',
  transformIndexHtml(html) {
    if (!PLAIN_PLACE.test(html)) throw new Error('No place for the plain pages');
    const words = JSON.stringify(Object.fromEntries(LANGUAGES.map((one) => [one, wordsOf(one)])));
    return {
      html: html.replace(PLAIN_PLACE, plainPages),
      tags: [{ tag: 'template', attrs: { id: 'frame-words', hidden: true }, children: words, injectTo: 'body' }],
    };
  },
};
