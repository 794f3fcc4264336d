import type { UserId } from '@pressel/contract/ids';
import { PROOF_MS } from '@pressel/contract/limits';
import type { Role } from '@pressel/contract/users';
import { AppError } from './app-error.ts';

/** The caller's identity. Identity is never taken from a payload. */
export interface Session {
  readonly id: string;
  readonly userId: UserId;
  readonly role: Role;
  readonly firstName: string;
  readonly displayName: string;
  /** The right to the map, as it was when the session was looked up. Ask `maySeePositions`. */
  readonly mapRight: boolean;
  /** Where the caller's connection comes from, as the activity log has it; null when it is no address. */
  readonly address: string | null;
  readonly expiresAt: Date;
  /** When the user last proved their password within this session; null if never. */
  readonly verifiedAt: Date | null;
}

/**
 * Requires a proof of the own password within PROOF_MS (AUTH1). Uses the absolute difference, because the clocks of
 * several machines differ slightly, and a clock that was set back must not prolong a proof.
 * @throws AppError verification_required
 */
export function requireFreshProof({ verifiedAt }: Session, now: Date): void {
  const age = verifiedAt === null ? PROOF_MS : Math.abs(now.getTime() - verifiedAt.getTime());
  if (age >= PROOF_MS) throw new AppError('verification_required');
}

/** Where others are is for administrators and for members with the right to the map (POS1). */
export const maySeePositions = ({ role, mapRight }: Pick<Session, 'role' | 'mapRight'>): boolean =>
  role === 'admin' || mapRight;

/** Finds the session of a token that came from an address; null when the token is unknown or expired. */
export type Authenticate = (token: string, address: string) => Promise<Session | null>;
