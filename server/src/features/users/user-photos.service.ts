import type { UserId } from '@pressel/contract/ids';
import type { Db } from '#src/db/connect.ts';
import type { Change } from '#src/platform/change.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import type { Session } from '#src/shared/session.ts';
import type { SignedPaths } from '#src/shared/signed-paths.ts';
import * as repository from './user-photos.repository.ts';
import { cleanJpeg } from './user-photos-jpeg.ts';
import { mayUseAccount } from './users.policy.ts';

/** Where photos are served, each as `<its id>.jpg`. */
export const PHOTOS_PATH = '/files/photos/';
const PHOTO_FILE = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jpg$/u;

export interface UserPhotosDeps {
  db: Db;
  change: Change;
  paths: SignedPaths;
}

export type UserPhotosService = ReturnType<typeof createUserPhotosService>;

export function createUserPhotosService({ db, change, paths }: UserPhotosDeps) {
  /** The signed path of a photo, null when there is none. Only for those who may see the account. */
  const urlOf = (photoId: string | null): string | null =>
    photoId === null ? null : paths.sign(`${PHOTOS_PATH}${photoId}.jpg`);

  return {
    urlOf,

    /** Sets a user's photo, or takes it away when the data URL is empty. @returns its path */
    async set(session: Session, userId: UserId, dataUrl: string): Promise<string | null> {
      if (!mayUseAccount(session, userId)) throw new AppError('forbidden');
      const jpeg = dataUrl === '' ? null : cleanJpeg(Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64'));
      const photoId = jpeg === null ? null : uuidV7();
      await change(session, async (tx, act) => {
        if (!(await repository.setPhotoId(tx, userId, photoId))) throw new AppError('not_found', { what: 'user' });
        if (jpeg === null || photoId === null) await repository.deletePhoto(tx, userId);
        else await repository.putPhoto(tx, { userId, photoId, jpeg });
        act.after('usersChanged', { userIds: [userId], channelIds: [] });
      });
      return urlOf(photoId);
    },

    /** A photo for whoever has its signed path. @throws AppError not_found, whatever is wrong */
    async read(file: string, query: unknown): Promise<{ jpeg: Buffer; secondsLeft: number }> {
      const photoId = PHOTO_FILE.exec(file)?.[1];
      const secondsLeft = paths.secondsLeft(`${PHOTOS_PATH}${file}`, query);
      const jpeg = photoId === undefined || secondsLeft === null ? null : await repository.findPhoto(db, photoId);
      if (jpeg === null || secondsLeft === null) throw new AppError('not_found', { what: 'file' });
      return { jpeg, secondsLeft };
    },
  };
}
