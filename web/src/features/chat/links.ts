import { parseUrl } from '#src/shared/parse-url.ts';

/** A piece of a message: plain text, or an address that the user may open. */
export interface TextPart {
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
