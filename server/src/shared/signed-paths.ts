import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const HOUR_S = 3_600;

/** Paths of files that open for whoever was given them, for an hour or two. */
export interface SignedPaths {
  /** The path with its end and its signature. The same within an hour, so that browsers find it in their cache. */
  sign(path: string): string;
  /** How many seconds a signed path is still good for; null when it is wrong or over. */
  secondsLeft(path: string, query: unknown): number | null;
}

/** Without a key of its own, paths of one process are nothing to another, nor to the same one after a restart. */
export function createSignedPaths(now: () => Date, key: Buffer = randomBytes(32)): SignedPaths {
  const signatureOf = (path: string, expires: string): Buffer =>
    createHmac('sha256', key).update(`${path}\n${expires}`).digest();
  const nowS = (): number => now().getTime() / 1_000;

  return {
    sign(path) {
      const expires = String((Math.ceil(nowS() / HOUR_S) + 1) * HOUR_S);
      return `${path}?expires=${expires}&signature=${signatureOf(path, expires).toString('base64url')}`;
    },
    secondsLeft(path, query) {
      if (typeof query !== 'object' || query === null) return null;
      const { expires, signature } = query as Record<string, unknown>;
      if (typeof expires !== 'string' || typeof signature !== 'string') return null;
      const expected = signatureOf(path, expires);
      const given = Buffer.from(signature, 'base64url');
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
      const left = Math.floor(Number(expires) - nowS());
      return left > 0 ? left : null;
    },
  };
}
