import type { Session } from '#src/shared/session.ts';

/** Administrators are in rooms, and hear of all users and channels, without being a member (PRES20). */
export const needsMembership = ({ role }: Pick<Session, 'role'>): boolean => role !== 'admin';
