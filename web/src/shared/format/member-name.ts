import type { ChannelMember } from '@pressel/contract/users';

type Named = Pick<ChannelMember, 'firstName' | 'lastName' | 'display_name' | 'pseudo'>;

/** What a member is called in every list: first and last name, and the pseudo beside it. Lists are in this order. */
export function memberName({ firstName, lastName, display_name: displayName, pseudo }: Named): string {
  const name = `${firstName} ${lastName}`.trim();
  const parts = [name, pseudo.trim()].filter((part, index, all) => part !== '' && all.indexOf(part) === index);
  return parts.join(' · ') || displayName.trim() || '—';
}
