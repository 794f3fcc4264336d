import type { Session } from '#src/shared/session.ts';

/** Administrators see, enter and hear every channel; members only their own. */
export const mayEnterAnyChannel = (session: Session): boolean => session.role === 'admin';
