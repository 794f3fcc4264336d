import type { UserId } from '@pressel/contract/ids';
import type { Session } from '#src/accounts/session.ts';

/** An account may be read and changed by its owner and by administrators. */
export const mayUseAccount = (session: Session, userId: UserId): boolean =>
  session.role === 'admin' || session.userId === userId;

/** The role, map right and channels of an account may be changed by administrators only. */
export const mayChangeRights = (session: Session): boolean => session.role === 'admin';
