import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ChannelId, UserId } from '@pressel/contract/ids';

const PROOF_BYTES = 16;

/** Proofs that a user was in a channel's room at a version of its floor. `key`: one of the installation's secrets. */
export interface RoomProofs {
  make(channelId: ChannelId, userId: UserId, version: number): string;
  /** @returns the version of a proof that was made for this channel and user, else null */
  check(proof: string, channelId: ChannelId, userId: UserId): number | null;
}

export function createRoomProofs(key: Buffer): RoomProofs {
  const sign = (channelId: ChannelId, userId: UserId, version: string) =>
    createHmac('sha256', key).update(`${channelId} ${userId} ${version}`).digest().subarray(0, PROOF_BYTES);
  return {
    make: (channelId, userId, version) =>
      `${version}.${sign(channelId, userId, String(version)).toString('base64url')}`,
    check(proof, channelId, userId) {
      const [version = '', signature = ''] = proof.split('.');
      const given = Buffer.from(signature, 'base64url');
      const expected = sign(channelId, userId, version);
      return given.length === expected.length && timingSafeEqual(given, expected) ? Number(version) : null;
    },
  };
}
