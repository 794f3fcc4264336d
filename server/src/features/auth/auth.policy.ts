import type { UserId } from '@pressel/contract/ids';
import type { Session } from '#src/accounts/session.ts';

/** The user and administrators may end all sessions of the user. */
export const mayEndSessionsOf = (session: Session, userId: UserId): boolean =>
  session.role === 'admin' || session.userId === userId;

/** Administrators make accounts for others; everybody else who signs up makes their own. */
export const makesOthersAccounts = (creator: Session | null): boolean => creator?.role === 'admin';
