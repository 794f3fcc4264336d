import type { SignedPaths } from './signed-paths.ts';

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
