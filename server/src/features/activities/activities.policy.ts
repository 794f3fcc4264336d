import type { Session } from '#src/accounts/session.ts';

/** Only administrators hear that the log has grown, because only they may read it. */
export const hearsOfLog = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';
