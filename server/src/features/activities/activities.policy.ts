import type { Session } from '#src/shared/session.ts';

/** Who hears that the log has grown: administrators, who alone may read it. */
export const hearsOfLog = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';
