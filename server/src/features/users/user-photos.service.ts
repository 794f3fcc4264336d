import type { Readable } from 'node:stream';
import type { UserId } from '@pressel/contract/ids';
import { PHOTO_SIZE_PX } from '@pressel/contract/limits';
import { mayUseAccount } from '#src/accounts/policies.ts';
import { displayName } from '#src/accounts/present-user.ts';
import { requireFreshProof, type Session } from '#src/accounts/session.ts';
import type { Db } from '#src/db/connect.ts';
import type { Change } from '#src/history/change.ts';
import type { PhotoPaths } from '#src/http/signed-paths.ts';
import { IMAGE_TYPE, type ImageCaller, type Images } from '#src/images/images.ts';
import { AppError } from '#src/shared/app-error.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import * as repository from './user-photos.repository.ts';
import { type PhotoFiles, photoIdOf } from './user-photos.store.ts';

export interface UserPhotosDeps {
  db: Db;
  change: Change;
  photoPaths: PhotoPaths;
  images: Images;
  files: Pick<PhotoFiles, 'get' | 'discard'>;
  /** Called when the store has no copy of some photo. */
  changed: () => void;
  now: () => Date;
}

export type UserPhotosService = ReturnType<typeof createUserPhotosService>;

export function createUserPhotosService(deps: UserPhotosDeps) {
  const { db, change, photoPaths, images, files, now } = deps;
  const squareOf = async (dataUrl: string, caller: ImageCaller): Promise<Buffer> => {
    const size = { width: PHOTO_SIZE_PX, height: PHOTO_SIZE_PX, fit: 'cover' } as const;
    const { bytes } = await images.make(caller, bytesOf(dataUrl), size);
    return bytes;
  };

  return {
    /**
     * Sets a user's photo, or removes it when the data URL is empty. `signal`: aborted when nobody waits for it any more.
     * @returns its path
     */
    async set(session: Session, userId: UserId, dataUrl: string, signal: AbortSignal): Promise<string | null> {
      if (!mayUseAccount(session, userId)) throw new AppError('forbidden');
      if (userId !== session.userId) requireFreshProof(session, now());
      const image = dataUrl === '' ? null : await squareOf(dataUrl, { owner: session.userId, signal });
      const photoId = image === null ? null : uuidV7();
      const replaced = await change(session, async (tx, act) => {
        const before = await repository.lockPhotoOwner(tx, userId);
        if (before === null) throw new AppError('not_found', { what: 'user' });
        if (photoId === null && before.photoId === null) return null;
        await repository.setPhotoId(tx, userId, photoId);
        await act.record({
          type: 'user_update',
          target: { id: userId, name: displayName(before) },
          // The log tells which photo, by the id in its address.
          details: { changes: [{ field: 'photo', from: before.photoId ?? '', to: photoId ?? '' }] },
        });
        if (image === null || photoId === null) await repository.deletePhoto(tx, userId);
        else await repository.putPhoto(tx, userId, { photoId, type: IMAGE_TYPE, image });
        act.after('usersChanged', { userIds: [userId], channelIds: [] });
        return before.photoId;
      });
      if (photoId !== null) deps.changed();
      if (replaced !== null) await files.discard([replaced]);
      return photoPaths.urlOf(photoId);
    },

    /** Reads a photo by its signed path. @throws AppError not_found for any invalid path */
    async read(
      file: string,
      query: unknown,
    ): Promise<{ type: string; content: Readable | Buffer; bytes: number; secondsLeft: number }> {
      const photoId = photoIdOf(file);
      const secondsLeft = photoPaths.secondsLeft(file, query);
      const photo = photoId === null || secondsLeft === null ? null : await repository.findPhoto(db, photoId);
      if (photoId === null || photo === null || secondsLeft === null) throw new AppError('not_found', { what: 'file' });
      const stored = photo.isStored ? await files.get(photoId) : null;
      if (stored !== null) return { type: photo.type, content: stored.stream, bytes: stored.bytes, secondsLeft };
      const image = await repository.readImage(db, photoId);
      if (image === null) throw new AppError('not_found', { what: 'file' });
      return { type: photo.type, content: image, bytes: image.length, secondsLeft };
    },
  };
}

/** @throws AppError malformed when it is not base64, because Node's decoder skips invalid characters */
function bytesOf(dataUrl: string): Buffer {
  const base64 = dataUrl.slice(dataUrl.indexOf(',') + 1);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0 || bytes.length !== Buffer.byteLength(base64, 'base64')) {
    throw new AppError('malformed', { issues: [{ path: 'photo_url', code: 'invalid_format' }] });
  }
  return bytes;
}
