import { createHash, randomBytes, randomFillSync } from 'node:crypto';

/** The items in their order, without duplicates. */
export const unique = <T>(list: readonly T[]): T[] => [...new Set(list)];

const TOKEN_BYTES = 32;

/** A new token: 256 random bits in base64url. */
export const makeToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** The stored form of a token: SHA-256, hexadecimal. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Counts as long as the process runs, so that ids of one millisecond sort in the order of their making. */
let sequence = 0;

/** Random bytes of the next ids. A call for each id would take longer than the rest of its making. */
const RANDOM_BYTES = 6;
const randoms = Buffer.alloc(RANDOM_BYTES * 1_024);
let used = randoms.length;

/**
 * UUID version 7 (RFC 9562 §5.7), sorted by time, which keeps indexes compact. Made here because PostgreSQL generates it
 * only from version 18 on. The 26 bits after the time are a counter (§6.2, method 1): it sorts the ids that one process
 * makes within a millisecond.
 */
export function uuidV7(now: number = Date.now()): string {
  sequence = (sequence + 1) % 2 ** 26;
  if (used === randoms.length) {
    randomFillSync(randoms);
    used = 0;
  }
  const bytes = Buffer.allocUnsafe(16);
  randoms.copy(bytes, 16 - RANDOM_BYTES, used, used + RANDOM_BYTES);
  used += RANDOM_BYTES;
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt16BE(0x7000 | (sequence >> 14), 6);
  bytes.writeUInt16BE(0x8000 | (sequence & 0x3fff), 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
