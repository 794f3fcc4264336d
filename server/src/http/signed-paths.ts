import { createHmac, timingSafeEqual } from 'node:crypto';

/** Path prefix of photos; followed by the photo's id. */
export const PHOTOS_PATH = '/files/photos/';

/** Makes and checks the paths of users' photos. */
export interface PhotoPaths {
  /** The signed path of a photo, null without one. Give it only to users who may see the account. */
  urlOf(photoId: string | null): string | null;
  /** Seconds until the signed path of a file expires; null when it is invalid or expired. */
  secondsLeft(file: string, query: unknown): number | null;
}

export const createPhotoPaths = (paths: SignedPaths): PhotoPaths => ({
  urlOf: (photoId) => (photoId === null ? null : paths.sign(`${PHOTOS_PATH}${photoId}`)),
  secondsLeft: (file, query) => paths.secondsLeft(`${PHOTOS_PATH}${file}`, query),
});

const HOUR_S = 3_600;

/** Paths of files that can be read without a session by anyone who has them, for one to two hours. */
export interface SignedPaths {
  /** The path with expiry and signature. Constant within an hour, so that browsers can cache the file. */
  sign(path: string): string;
  /** Seconds until a signed path expires; null when it is invalid or expired. */
  secondsLeft(path: string, query: unknown): number | null;
}

/** Processes with the same key accept each other's paths. */
export function createSignedPaths(key: Buffer, now: () => Date): SignedPaths {
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
