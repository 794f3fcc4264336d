import type { Session } from '#src/accounts/session.ts';

/** Administrators read and write in every channel; members only in their own. */
export const mayReadAnyChannel = (session: Session): boolean => session.role === 'admin';

/** Users may delete their own messages; administrators may delete any. */
export const mayDeleteMessage = (session: Session, message: { userId: string }): boolean =>
  session.role === 'admin' || message.userId === session.userId;
