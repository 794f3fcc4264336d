import type { Session } from '#src/shared/session.ts';

/** Administrators see the map of every channel, whatever their own right to it says (POS1); what they did, too. */
export const seesEveryMap = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';
