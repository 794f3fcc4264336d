import type { Session } from '#src/accounts/session.ts';

/** Administrators are in rooms, and hear of all users and channels, without being a member (PRES20). */
export const needsMembership = ({ role }: Pick<Session, 'role'>): boolean => role !== 'admin';
