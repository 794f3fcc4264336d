import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;

/** A new token: 256 random bits in base64url. */
export const makeToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** The stored form of a token: SHA-256, hexadecimal. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
