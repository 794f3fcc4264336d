import type { Role } from '@pressel/contract/credentials';
import type { GuestLinkId } from '@pressel/contract/guests';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { PROOF_MS } from '@pressel/contract/limits';
import { AppError } from '#src/shared/app-error.ts';

/** The link and channel that a guest's session is bound to. */
export interface GuestPass {
  readonly linkId: GuestLinkId;
  /** The only channel whose room the guest may enter. */
  readonly channelId: ChannelId;
  readonly name: string;
  readonly linkName: string;
}

/**
 * The caller's identity, which is never taken from a payload. A guest has the role `guest`, which no account has, and in
 * `userId` an id of its own, which no account has either.
 */
export interface Session {
  readonly id: string;
  readonly userId: UserId;
  readonly role: Role | 'guest';
  /** Only guests have it. */
  readonly guest?: GuestPass;
  readonly firstName: string;
  readonly displayName: string;
  /** First and last name; guests have none. */
  readonly fullName?: string;
  /** The account's photo when the session was looked up; guests have none. */
  readonly photoId?: string | null;
  /** The right to the map when the session was looked up. Call `maySeePositions` instead of reading it. */
  readonly mapRight: boolean;
  /** The connection's address, as the activity log stores it; null when it is no address. */
  readonly address: string | null;
  readonly expiresAt: Date;
  /** When the user last proved their password within this session; null if never. */
  readonly verifiedAt: Date | null;
  /** The user asked not to be asked again while that proof is valid. */
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

/** The owner of a share of something limited: the user, or all guests of a link together. */
export const ownerOf = ({ guest, userId }: Pick<Session, 'guest' | 'userId'>): GuestLinkId | UserId =>
  guest?.linkId ?? userId;

/** Whether the own password was given within PROOF_MS. */
export const hasFreshProof = ({ verifiedAt }: Pick<Session, 'verifiedAt'>, now: Date): boolean =>
  verifiedAt !== null && Math.abs(now.getTime() - verifiedAt.getTime()) < PROOF_MS;

/** A guest's name as others see it. It names the link, which no account's name does. */
export const guestDisplayName = (name: string, linkName: string): string => `${name} (${linkName})`;

/** Finds the session of a token that came from an address; null when the token is unknown or expired. */
export type Authenticate = (token: string, address: string) => Promise<Session | null>;
