import type { Session } from '#src/accounts/session.ts';

/** Administrators see the figures of the whole team; members those of their own channels. */
export const seesTeam = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';
