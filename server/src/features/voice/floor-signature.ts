import {
  createECDH,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { type FloorNews, type FloorSnapshot, floorText } from '@pressel/contract/voice';

const PROOF_BYTES = 16;

/** Proofs that a user was in a channel's room at a version of its floor. `key`: one of the installation's secrets. */
interface RoomProofs {
  make(channelId: ChannelId, userId: UserId, version: number): string;
  /** @returns the version of a proof that was made for this channel and user, else null */
  check(proof: string, channelId: ChannelId, userId: UserId): number | null;
}

export function createRoomProofs(key: Buffer): RoomProofs {
  const secret = createSecretKey(key);
  const sign = (channelId: ChannelId, userId: UserId, version: string) =>
    createHmac('sha256', secret).update(`${channelId} ${userId} ${version}`).digest().subarray(0, PROOF_BYTES);
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

const CURVE = 'prime256v1';
/** The order of P-256 (SEC 2, §2.4.2). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
/** 64 bits more than the order has, so that no scalar is likelier than another (FIPS 186-5, §A.2.1). */
const SEED_BYTES = 40;
const SCALAR_DIGITS = 64;

/**
 * Signs floors, so that participants may tell each other of them (TALK115) and the server may learn from them after its restart
 * (TALK150). The key is one of the installation's secrets, so that it outlives the process.
 */
export interface FloorSigner {
  /** The key for the answer to a join. */
  readonly publicKey: string;
  /** `signedAt`: the clock of the floors, ms. */
  sign(snapshot: FloorSnapshot, signedAt: number): FloorNews;
  isGenuine(news: FloorNews): boolean;
}

export function createFloorSigner(secret: Buffer): FloorSigner {
  const { privateKey, publicKey, point } = keysFrom(secret);
  const dsaEncoding = 'ieee-p1363';
  return {
    publicKey: point.toString('base64url'),
    sign(snapshot, signedAt) {
      const floor = { ...snapshot, signedAt };
      const signature = sign('sha256', Buffer.from(floorText(floor)), { key: privateKey, dsaEncoding });
      return { ...floor, signature: signature.toString('base64url') };
    },
    isGenuine: ({ signature, ...floor }) =>
      verify(
        'sha256',
        Buffer.from(floorText(floor)),
        { key: publicKey, dsaEncoding },
        Buffer.from(signature, 'base64url'),
      ),
  };
}

/** `point`: uncompressed (SEC 1, §2.3.3), as browsers import it. */
function keysFrom(secret: Buffer) {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', 'floor signature', SEED_BYTES)).toString('hex');
  const scalar = (BigInt(`0x${seed}`) % (ORDER - 1n)) + 1n;
  const ecdh = createECDH(CURVE);
  ecdh.setPrivateKey(scalar.toString(16).padStart(SCALAR_DIGITS, '0'), 'hex');
  const point = ecdh.getPublicKey();
  const half = (point.length - 1) / 2;
  const privateKey = createPrivateKey({
    format: 'jwk',
    key: {
      ...{ kty: 'EC', crv: 'P-256', d: ecdh.getPrivateKey('base64url') },
      x: point.subarray(1, 1 + half).toString('base64url'),
      y: point.subarray(1 + half).toString('base64url'),
    },
  });
  return { privateKey, publicKey: createPublicKey(privateKey), point };
}
