import { randomBytes } from 'node:crypto';

const SEQUENCE_MAX = 0xfff;

/**
 * UUID version 7 (RFC 9562 §5.7), sorted by time, which keeps indexes compact. Made here because PostgreSQL generates
 * it only from version 18 on. `sequence` sorts those of one millisecond (§6.2, method 1), up to 4,096 of them.
 */
export function uuidV7(now: number = Date.now(), sequence?: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  if (sequence !== undefined) bytes.writeUInt16BE(Math.min(sequence, SEQUENCE_MAX), 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
