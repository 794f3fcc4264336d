import type { ChannelMember } from '@pressel/contract/users';

interface Named extends Pick<ChannelMember, 'firstName' | 'lastName' | 'display_name' | 'pseudo'> {
  /** The login, which only administrators are told. */
  identifier?: string;
}

/** What a person is called in lists and where one chooses among people: first and last name, and the pseudo beside it (ROOM9). */
export function memberName(person: Named): string {
  const parts = [namesOf(person), person.pseudo.trim()];
  return parts.filter((part, index) => part !== '' && parts.indexOf(part) === index).join(' · ') || lastResort(person);
}

/** The name that initials are made of: first and last name, and the pseudo only where there is neither (ROOM21). */
export const nameForInitials = (person: Named): string => namesOf(person) || person.pseudo.trim() || lastResort(person);

const namesOf = ({ firstName, lastName }: Named): string => `${firstName} ${lastName}`.trim();

const lastResort = ({ display_name: displayName, identifier = '' }: Named): string =>
  displayName.trim() || identifier || '—';
