import type { UserId } from '@pressel/contract/ids';
import type { Role } from '@pressel/contract/users';

/** Who is asking, as their session says: the only source of identity. */
export interface Session {
  readonly id: string;
  readonly userId: UserId;
  readonly role: Role;
  readonly firstName: string;
  readonly displayName: string;
  readonly expiresAt: Date;
}

/** Finds the session that a token opens; null when it opens none. */
export type Authenticate = (token: string) => Promise<Session | null>;
