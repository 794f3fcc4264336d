import type { Session } from '#src/accounts/session.ts';

/** A device is shown to its owner and to administrators (RING11). */
export const seesEveryDevice = ({ role }: Pick<Session, 'role'>): boolean => role === 'admin';
