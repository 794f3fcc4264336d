import type { Session } from '#src/shared/session.ts';

/** Who sees, enters and hears every channel. Others: those that they are members of. */
export const mayEnterAnyChannel = (session: Session): boolean => session.role === 'admin';
