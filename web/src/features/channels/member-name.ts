import type { ChannelMember } from '@pressel/contract/users';

/** A member's name: first and last name, else the display name. */
export const memberName = (member: Pick<ChannelMember, 'firstName' | 'lastName' | 'display_name' | 'pseudo'>): string =>
  [`${member.firstName} ${member.lastName}`.trim(), member.display_name, member.pseudo].find(
    (name) => name.trim() !== '',
  ) ?? '—';
