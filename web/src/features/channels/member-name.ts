import type { ChannelMember } from '@pressel/contract/users';

/** How members of a channel are named to each other: first and last name, else what they call themselves. */
export const memberName = (member: Pick<ChannelMember, 'firstName' | 'lastName' | 'display_name' | 'pseudo'>): string =>
  [`${member.firstName} ${member.lastName}`.trim(), member.display_name, member.pseudo].find(
    (name) => name.trim() !== '',
  ) ?? '—';
