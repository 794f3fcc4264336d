import type { Role } from '@pressel/contract/credentials';
import type { GuestLinkId } from '@pressel/contract/guests';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { PROOF_MS } from '@pressel/contract/limits';
import { AppError } from './app-error.ts';

/** What a guest's session is bound to. */
export interface GuestPass {
  readonly linkId: GuestLinkId;
  /** The only channel whose room the guest may enter. */
  readonly channelId: ChannelId;
  readonly name: string;
  readonly linkName: string;
}

/**
 * The caller's identity. Identity is never taken from a payload. A guest's has the role `guest`, which no account has, and
 * in `userId` an id of its own, which no account has either.
 */
export interface Session {
  readonly id: string;
  readonly userId: UserId;
  readonly role: Role | 'guest';
  /** There for guests, and for nobody else. */
  readonly guest?: GuestPass;
  readonly firstName: string;
  readonly displayName: string;
  /** First and last name; guests have none. */
  readonly fullName?: string;
  /** Of the account's photo, as it was when the session was looked up; guests have none. */
  readonly photoId?: string | null;
  /** The right to the map, as it was when the session was looked up. Ask `maySeePositions`. */
  readonly mapRight: boolean;
  /** Where the caller's connection comes from, as the activity log has it; null when it is no address. */
  readonly address: string | null;
  readonly expiresAt: Date;
  /** When the user last proved their password within this session; null if never. */
  readonly verifiedAt: Date | null;
  /** They asked not to be asked again while that proof is valid. */
  readonly isProofKept?: boolean;
}

/**
 * Requires a proof of the own password within PROOF_MS (AUTH1). Uses the absolute difference, because the clocks of
 * several machines differ slightly, and a clock that was set back must not prolong a proof.
 * @throws AppError verification_required
 */
export function requireFreshProof(session: Session, now: Date): void {
  if (!hasFreshProof(session, now)) throw new AppError('verification_required');
}

/** Whose share of something limited is used: the user's, or that of all guests of a link. */
export const ownerOf = ({ guest, userId }: Pick<Session, 'guest' | 'userId'>): GuestLinkId | UserId =>
  guest?.linkId ?? userId;

/** Whether the own password was given within PROOF_MS. */
export const hasFreshProof = ({ verifiedAt }: Pick<Session, 'verifiedAt'>, now: Date): boolean =>
  verifiedAt !== null && Math.abs(now.getTime() - verifiedAt.getTime()) < PROOF_MS;

/** Where others are is for administrators and for members with the right to the map (POS1). */
export const maySeePositions = ({ role, mapRight }: Pick<Session, 'role' | 'mapRight'>): boolean =>
  role === 'admin' || mapRight;

/** What others see of a guest: no account's name says whose guest somebody is. */
export const guestDisplayName = (name: string, linkName: string): string => `${name} (${linkName})`;

/** Finds the session of a token that came from an address; null when the token is unknown or expired. */
export type Authenticate = (token: string, address: string) => Promise<Session | null>;
