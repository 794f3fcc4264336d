import type { Session } from '#src/accounts/session.ts';

/** Administrators see the map of every channel, and what its members did, whatever their own right to it says (POS1). */
export const seesEveryMap = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';
