import type { Session } from '#src/accounts/session.ts';

/** Administrators see, enter and hear every channel; members only their own. */
export const mayEnterAnyChannel = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';

/** Administrators are told what happened last in a channel, and what its members did last anywhere (LOG20). */
export const seesAllActivities = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';
