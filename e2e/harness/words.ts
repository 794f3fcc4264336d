import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export const LANGUAGES = ['fr', 'en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Returns a sentence of the interface by its key (`channels.create.submit`), with its gaps filled. Throws for an unknown key. */
export type Say = (key: string, params?: Record<string, string | number>) => string;

const GAP = /\{\{(\w+)(?:, (de))?\}\}/gu;
const LOCALES = 'web/src/locales';
const here = join(import.meta.dirname, '../..');

/** Every sentence of a language by its key, the file's name first. @param root the root of another version */
export function sentencesOf(language: Language, root = here): ReadonlyMap<string, string> {
  const sentences = new Map<string, string>();
  const collect = (key: string, value: unknown): void => {
    if (typeof value === 'string') sentences.set(key, value);
    else for (const [name, inner] of Object.entries(value ?? {})) collect(`${key}.${name}`, inner);
  };
  const folder = join(root, LOCALES, language);
  for (const file of readdirSync(folder)) {
    collect(basename(file, '.json'), JSON.parse(readFileSync(join(folder, file), 'utf8')));
  }
  return sentences;
}

/**
 * The interface's words in a language. A plural has its whole key (`voice.room.here_other`). `changed` returns the text
 * that is to be read within a sentence.
 */
export function sayIn(language: Language, changed = (sentence: string, _key: string) => sentence): Say {
  const sentences = sentencesOf(language);
  return (key, params = {}) => {
    const sentence = sentences.get(key);
    if (sentence === undefined) throw new Error(`No sentence ${key} in ${language}`);
    return changed(sentence, key).replace(GAP, (_, name: string, format: 'de' | undefined) => {
      const value = params[name];
      const shown = typeof value === 'number' ? value.toLocaleString(language) : String(value);
      return format === 'de' ? `${/^[aeioué]/iu.test(shown) ? 'd’' : 'de '}${shown}` : shown;
    });
  };
}

/** A pattern that matches this sentence, whatever fills its gaps. */
export function patternOf(sentence: string): RegExp {
  const parts = sentence.split(/\{\{\w+(?:, de)?\}\}/u).map((part) => part.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`, 'u');
}
