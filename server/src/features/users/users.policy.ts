import type { UserId } from '@pressel/contract/ids';
import type { Session } from '#src/shared/session.ts';

/** Who may read or change an account: its owner, and administrators. */
export const mayUseAccount = (session: Session, userId: UserId): boolean =>
  session.role === 'admin' || session.userId === userId;

/** Who may change what an account may do: its role, its access to the map, its channels. */
export const mayChangeRights = (session: Session): boolean => session.role === 'admin';
