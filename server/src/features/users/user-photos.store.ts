import { createHmac } from 'node:crypto';
import type { Db } from '#src/db/connect.ts';
import type { FileStore } from '#src/files/file-store.ts';
import { createOwnedFiles, type OwnedFiles, type OwnedFilesDeps, whileNoBackup } from '#src/files/owned-files.ts';
import type { GoesOn } from '#src/processes/schedule.ts';
import { AppError } from '#src/shared/app-error.ts';
import * as repository from './user-photos.repository.ts';

/** The folder of the store for photos, each named by its id. */
export const PHOTOS_FOLDER = 'photos';
const PHOTO_FILE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
/** Photos that are read together. Each is some ten kB. */
const COPIED_AT_ONCE = 20;
/** This id comes before all others. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The photo that a file is of; null when it is not named like one. */
export const photoIdOf = (file: string): string | null => PHOTO_FILE.exec(file)?.[0] ?? null;

/** Photos in the store: copies of those in the table, which older versions read (FILE10). */
export interface PhotoFiles extends Pick<OwnedFiles, 'sweep' | 'discard'> {
  /** Copies photos that the store lacks. Ends early when it is away. */
  copy(goesOn: GoesOn): Promise<void>;
  /** @returns null when the store doesn't have it, or can't be reached now */
  get: OwnedFiles['get'];
}

export interface PhotoFilesDeps extends Pick<OwnedFilesDeps, 'now' | 'log'> {
  db: Db;
  store: FileStore;
  /** A key of the database that the rows are in. */
  key: Buffer;
}

export function createPhotoFiles({ db, store, key, now, log }: PhotoFilesDeps): PhotoFiles {
  const files = createOwnedFiles({
    ...{ store, now, log, folder: PHOTOS_FOLDER, rowOf: photoIdOf },
    owner: createHmac('sha256', key).update('photos').digest('hex'),
    known: (photoIds) => repository.knownPhotos(db, photoIds),
    whileNoBackup: (remove) => whileNoBackup(db, remove),
  });
  return {
    sweep: files.sweep,
    discard: files.discard,

    async copy(goesOn) {
      let after = FIRST_ID;
      while (await goesOn()) {
        const rows = await repository.listUnstored(db, after, COPIED_AT_ONCE);
        for (const { userId, photoId, image } of rows) {
          after = userId;
          try {
            await files.put([[photoId, image]]);
          } catch (error) {
            // The first to notice has logged it. The next run goes on.
            if (isUnavailable(error)) return;
            throw error;
          }
          if (!(await repository.markStored(db, photoId))) await files.remove([photoId]);
        }
        if (rows.length < COPIED_AT_ONCE) return;
      }
    },

    get: (photoId) =>
      files.get(photoId).catch((error: unknown) => {
        if (isUnavailable(error)) return null;
        throw error;
      }),
  };
}

const isUnavailable = (error: unknown): boolean => error instanceof AppError && error.code === 'unavailable';
