import { folded } from '#src/shared/lists/folded.ts';
import { parseUrl } from '#src/shared/parse-url.ts';

/** A piece of a text: plain text, or an `@` with a name. */
interface MentionPart {
  text: string;
  /** Index of the piece in the text. */
  at: number;
  /** The person whom the mention names: the reader or somebody else. */
  mentions?: 'me' | 'other';
}

/** The names by which a user is mentioned. */
export interface Named {
  firstName: string;
  lastName: string;
  display_name: string;
}

/** The mention of a name: no-break spaces keep its words together, so that its end is known. */
export const mentionOf = (name: string): string => `@${name.trim().replace(/\s+/gu, '\u00a0')}`;

/** The unfinished name at the end of a text, and the index of its `@`; undefined if there is none. */
export function nameBegun(text: string): { at: number; begun: string } | undefined {
  const found = /(?:^|[^\p{L}\p{N}_.@-])@([^\s@]{0,40})$/u.exec(text);
  const [, begun] = found ?? [];
  return begun === undefined ? undefined : { at: text.length - begun.length - 1, begun };
}

/** Pseudo, first and last name, and first name alone; folded, the longest first. */
const namesOf = ({ firstName, lastName, display_name }: Named): string[] =>
  [display_name, `${firstName} ${lastName}`, firstName]
    .map((name) => folded(name.trim().replace(/\s+/gu, ' ')))
    .filter((name) => name !== '')
    .sort((one, other) => other.length - one.length);

const IN_WORD = /[\p{L}\p{M}\p{N}_\u00a0]/u;
/** A sign that goes on within a name: 'Jean-Paul', 'O’Neill', 'J.Dupont'. */
const JOINS = /^['’.-][\p{L}\p{N}]/u;
const OTHER = /^@[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_\u00a0]|['’.-](?=[\p{L}\p{N}]))*/u;

/** Splits a text at its mentions. The pieces joined are the text [CHATS58]. */
export function mentionParts(text: string, me: Named): MentionPart[] {
  const names = namesOf(me);
  const parts: MentionPart[] = [];
  let from = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', Math.max(at + 1, from))) {
    // Skips e-mail addresses. The character before the `@` may be two units long.
    if (/[\p{L}\p{N}_.@-]$/u.test(text.slice(Math.max(0, at - 2), at))) continue;
    const length = lengthOfName(text.slice(at + 1), names);
    const found = length > 0 ? text.slice(at, at + 1 + length) : OTHER.exec(text.slice(at))?.[0];
    if (found === undefined) continue;
    if (at > from) parts.push({ text: text.slice(from, at), at: from });
    parts.push({ text: found, at, mentions: length > 0 ? 'me' : 'other' });
    from = at + found.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), at: from });
  return parts;
}

export const isMentioned = (text: string, me: Named): boolean =>
  text.includes('@') && mentionParts(text, me).some(({ mentions }) => mentions === 'me');

/** Length of the name with which a text begins; 0 if it begins with none of these names. */
function lengthOfName(text: string, names: readonly string[]): number {
  for (const name of names) {
    let read = '';
    let length = 0;
    for (const character of text) {
      // Folding turns a no-break space into a space, and drops a combining accent.
      const one = folded(character);
      if (read.length >= name.length && one !== '') break;
      read += one;
      length += character.length;
      // Stops early: a message may consist of 2,000 of these signs.
      if (!name.startsWith(read)) break;
    }
    const rest = text.slice(length);
    if (read === name && !IN_WORD.test(rest.slice(0, 1)) && !JOINS.test(rest)) return length;
  }
  return 0;
}

/** A piece of a message: plain text, or an address that the user may open. */
interface TextPart {
  text: string;
  href?: string;
  /** Index of the piece in the text. */
  at: number;
}

/**
 * An address ends before white space, quotes and brackets that can't be part of an address as people write it. It also
 * ends before characters that change the reading direction, because it would look like another address.
 */
const ADDRESS = /\bhttps?:\/\/[^\s<>"'`«»“”„\p{Bidi_Control}]+/giu;
/** Marks after an address belong to the sentence, not to it. */
const TRAILING = new Set('.,:;!?…)]}*_~');

/** Splits a text at its web addresses, http and https only. The pieces joined are the text [CHATS8]. */
export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutTrailing(match[0]);
    const href = hrefOf(address);
    if (href === undefined) continue;
    if (match.index > from) parts.push({ text: text.slice(from, match.index), at: from });
    parts.push({ text: address, href, at: match.index });
    from = match.index + address.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), at: from });
  return parts;
}

/** A closing bracket stays if the address contains the opening one, as in addresses of encyclopedias. */
function withoutTrailing(address: string): string {
  let end = address.length;
  // A loop, because a regular expression would also try every mark in the middle.
  while (end > 0 && TRAILING.has(address.charAt(end - 1))) end -= 1;
  const cut = address.slice(0, end);
  const isOpen = cut.split('(').length > cut.split(')').length;
  return isOpen && address.at(cut.length) === ')' ? `${cut})` : cut;
}

/** The address as the browser reads it; undefined if it isn't one, or hides a name and password before its host. */
function hrefOf(address: string): string | undefined {
  const url = parseUrl(address);
  const isSafe = url !== null && /^https?:$/u.test(url.protocol) && url.username === '' && url.password === '';
  return isSafe ? url.href : undefined;
}
