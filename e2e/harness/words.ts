import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export const LANGUAGES = ['fr', 'en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A sentence of the interface by its key (`channels.create.submit`), its gaps filled. Throws for an unknown key. */
export type Say = (key: string, params?: Record<string, string | number>) => string;

const GAP = /\{\{(\w+)(?:, (de))?\}\}/gu;
const LOCALES = join(import.meta.dirname, '../../web/src/locales');

/** Every sentence of a language by its key, the file's name first. */
export function sentencesOf(language: Language): ReadonlyMap<string, string> {
  const sentences = new Map<string, string>();
  const collect = (key: string, value: unknown): void => {
    if (typeof value === 'string') sentences.set(key, value);
    else for (const [name, inner] of Object.entries(value ?? {})) collect(`${key}.${name}`, inner);
  };
  for (const file of readdirSync(join(LOCALES, language))) {
    collect(basename(file, '.json'), JSON.parse(readFileSync(join(LOCALES, language, file), 'utf8')));
  }
  return sentences;
}

/**
 * What the interface says in a language. Plurals are asked for by their whole key (`voice.room.here_other`). `changed`:
 * what was done to each sentence on its way to the browser.
 */
export function sayIn(language: Language, changed = (sentence: string) => sentence): Say {
  const sentences = sentencesOf(language);
  return (key, params = {}) => {
    const sentence = sentences.get(key);
    if (sentence === undefined) throw new Error(`No sentence ${key} in ${language}`);
    return changed(sentence).replace(GAP, (_, name: string, format: 'de' | undefined) => {
      const value = params[name];
      const shown = typeof value === 'number' ? value.toLocaleString(language) : String(value);
      return format === 'de' ? `${/^[aeioué]/iu.test(shown) ? 'd’' : 'de '}${shown}` : shown;
    });
  };
}

/** What text must look like to be this sentence, whatever fills its gaps. */
export function patternOf(sentence: string): RegExp {
  const parts = sentence.split(/\{\{\w+(?:, de)?\}\}/u).map((part) => part.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&'));
  return new RegExp(`^${parts.join('.+')}$`, 'u');
}
