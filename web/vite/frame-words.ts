import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { LANGUAGES } from '../src/shared/i18n/languages.ts';

const LOCALES = join(import.meta.dirname, '../src/locales');

/** Where the words of the static frame stand: file and path. They are those that the pages themselves say. */
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

/**
 * What the static frame says before any words are loaded: a few in each language, in a template of index.html, from which
 * boot.ts takes those that it needs.
 */
export const frameWords: Plugin = {
  name: 'frame-words',
  transformIndexHtml: () => [
    {
      tag: 'template',
      attrs: { id: 'frame-words' },
      children: JSON.stringify(Object.fromEntries(LANGUAGES.map((one) => [one, wordsOf(one)]))),
      injectTo: 'body',
    },
  ],
};
