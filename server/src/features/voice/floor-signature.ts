import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type FloorNews, type FloorSnapshot, floorText } from '@pressel/contract/voice';

/** An uncompressed point begins with this byte (SEC 1, §2.3.3). */
const UNCOMPRESSED = 4;

/**
 * Signs the floors of one process, so that participants may tell each other of them (TALK115). The key lives as long as the
 * floors' versions: what an earlier process signed is worth nothing to who joined this one.
 */
export interface FloorSigner {
  /** For the answer to a join. */
  readonly publicKey: string;
  sign(snapshot: FloorSnapshot): FloorNews;
}

export function createFloorSigner(): FloorSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    publicKey: pointOf(publicKey),
    sign: (snapshot) => ({
      ...snapshot,
      signature: sign('sha256', Buffer.from(floorText(snapshot)), {
        key: privateKey,
        dsaEncoding: 'ieee-p1363',
      }).toString('base64url'),
    }),
  };
}

function pointOf(key: KeyObject): string {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([Buffer.of(UNCOMPRESSED), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString(
    'base64url',
  );
}
