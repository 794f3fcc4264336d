import { expect, test } from 'vitest';
import type { Language } from './languages.ts';

const FILES = import.meta.glob<Record<string, unknown>>('../../locales/*/*.json', { eager: true, import: 'default' });

const textAt = (language: Language, namespace: string, key: string): unknown =>
  key
    .split('.')
    .reduce<unknown>((inner, part) => Object(inner)[part], FILES[`../../locales/${language}/${namespace}.json`]);

/** Texts that the owner's papers quote, and people know: nobody rewords them in passing. */
test.each<[Language, string, string, string]>([
  ['en', 'userForm', 'fault.empty', 'Check all fields are not empty.'],
  ['en', 'userForm', 'fault.mismatch', 'The two passwords must be identical.'],
  ['en', 'channels', 'create.failed', 'Channel not created'],
  ['en', 'channels', 'edit.failed', 'Channel not updated'],
  ['en', 'channels', 'edit.error', 'Error!'],
  ['en', 'channels', 'member.removed', 'User Deleted from Channel'],
  ['en', 'activities', 'title', 'Activities List'],
  ['en', 'transfer', 'file.channels', 'Liste_canaux'],
])('in %s %s has for %s the quoted text', (language, namespace, key, text) => {
  expect(textAt(language, namespace, key)).toBe(text);
});
