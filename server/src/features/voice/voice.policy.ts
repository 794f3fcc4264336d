import type { Session } from '#src/accounts/session.ts';

/** Administrators go before members, and take the floor from them (TALK2). */
export const priorityOf = ({ role }: Pick<Session, 'role'>): number => (role === 'admin' ? 1 : 0);
