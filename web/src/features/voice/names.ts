const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * A name made safe to stand inside a sentence: one written from right to left is isolated (U+2068…U+2069), so that it
 * does not drag the words and digits around it out of order. Other names come back as they are.
 */
export const inSentence = (name: string): string => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);

/** One or two letters to recognise a name by; `?` when it has no letter or digit. */
export function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [];
  const first = words[0];
  if (first === undefined) return '?';
  const last = words.length > 1 ? words[words.length - 1] : undefined;
  return `${firstLetter(first)}${last === undefined ? '' : firstLetter(last)}`.toLocaleUpperCase();
}

const firstLetter = (word: string): string => [...word][0] ?? '';
