/** One or two initials of a name; `?` when it has no letter or digit. */
export function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [];
  const first = words[0];
  if (first === undefined) return '?';
  const last = words.length > 1 ? words[words.length - 1] : undefined;
  return `${firstLetter(first)}${last === undefined ? '' : firstLetter(last)}`.toLocaleUpperCase();
}

const firstLetter = (word: string): string => [...word][0] ?? '';
