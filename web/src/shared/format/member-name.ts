import type { ChannelMember } from '@pressel/contract/users';
import { isolated, namesOf } from './format.ts';

/** One or two initials of a name; `?` when it has no letter or digit. */
export function initials(name: string): string {
  const words = name.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [];
  const first = words[0];
  if (first === undefined) return '?';
  const last = words.length > 1 ? words[words.length - 1] : undefined;
  return `${firstLetter(first)}${last === undefined ? '' : firstLetter(last)}`.toLocaleUpperCase();
}

const firstLetter = (word: string): string => [...word][0] ?? '';

interface Named extends Pick<ChannelMember, 'firstName' | 'lastName' | 'display_name' | 'pseudo'> {
  /** The login, which the server tells only to administrators. */
  identifier?: string;
}

/**
 * A person's name in lists and choices: first and last name, and the pseudo beside it (ROOM9). The two are isolated
 * from each other (NAME5).
 */
export function memberName(person: Named): string {
  const parts = [namesOf(person), person.pseudo.trim()].filter(
    (part, index, all) => part !== '' && all.indexOf(part) === index,
  );
  if (parts.length > 1) return parts.map(isolated).join(' · ');
  return parts[0] ?? lastResort(person);
}

/** The name for initials: first and last name, and the pseudo only where there is neither (ROOM21). */
export const nameForInitials = (person: Named): string => namesOf(person) || person.pseudo.trim() || lastResort(person);

const lastResort = ({ display_name: displayName, identifier = '' }: Named): string =>
  displayName.trim() || identifier || '—';
