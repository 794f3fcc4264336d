import { keepSwept } from '#src/files/owned-files.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import { createUserPhotosService } from './user-photos.service.ts';
import { createPhotoFiles } from './user-photos.store.ts';
import { findUser, findUserByLogin, hasUsers, insertUser } from './users.repository.ts';
import { userPhotoRoutes, userRoutes } from './users.routes.ts';
import { createUserChangesService, createUsersService, type UsersDeps } from './users.service.ts';

/** How often to look for photos without a copy in the store, ms: those from before there was one, or of another process. */
const COPY_EVERY_MS = 60_000;

/** The account queries that sign-in and sign-up need. */
const accounts = { hasUsers, insertUser, findUserByLogin, findUser };
export type UsersApi = typeof accounts;

export function usersFeature(
  platform: Platform,
  needs: Pick<UsersDeps, 'memberships' | 'guestLinks' | 'passwordMinLength'> & {
    /** Whether no other process works on the same files. */
    isAlone: boolean;
  },
): Feature<UsersApi> {
  const { memberships, guestLinks, passwordMinLength } = needs;
  const { db, http, serve, change, sessions, passwords, photoPaths, images, schedule, secrets, now, log } = platform;
  const files = createPhotoFiles({ db, store: platform.files, key: secrets.photoPaths, now, log });
  const copying = schedule.every(COPY_EVERY_MS, 'photo_copy', files.copy, { by: 'one' });
  const photos = createUserPhotosService({ db, change, photoPaths, images, files, changed: copying.soon, now });
  userRoutes(serve, {
    users: createUsersService({
      ...{ db, now, change, sessions, passwords, passwordMinLength },
      ...{ memberships, guestLinks },
    }),
    userChanges: createUserChangesService({ change, memberships }),
    photoUrl: photoPaths.urlOf,
  });
  userPhotoRoutes(serve, { app: http, photos });
  return {
    api: accounts,
    async start() {
      await keepSwept(files, { schedule, log, name: 'photo_sweep', isAlone: needs.isAlone });
      copying.soon();
    },
  };
}
