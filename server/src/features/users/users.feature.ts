import type { Feature, Platform } from '#src/platform/platform.ts';
import { createUserChangesService } from './user-changes.service.ts';
import { userPhotoRoutes } from './user-photos.routes.ts';
import { createUserPhotosService } from './user-photos.service.ts';
import { findUser, findUserByLogin, hasUsers, insertUser } from './users.repository.ts';
import { userRoutes } from './users.routes.ts';
import { createUsersService, type UsersDeps } from './users.service.ts';

/** The account queries that sign-in and sign-up need. */
const accounts = { hasUsers, insertUser, findUserByLogin, findUser };
export type UsersApi = typeof accounts;

export function usersFeature(
  platform: Platform,
  { memberships, guestLinks, passwordMinLength }: Pick<UsersDeps, 'memberships' | 'guestLinks' | 'passwordMinLength'>,
): Feature<UsersApi> {
  const { db, http, serve, change, sessions, passwords, photoPaths, images, now } = platform;
  const photos = createUserPhotosService({ db, change, photoPaths, images, now });
  userRoutes(serve, {
    users: createUsersService({
      ...{ db, now, change, sessions, passwords, passwordMinLength },
      ...{ memberships, guestLinks },
    }),
    userChanges: createUserChangesService({ change, memberships }),
    photoUrl: photoPaths.urlOf,
  });
  userPhotoRoutes(serve, { app: http, photos });
  return { api: accounts };
}
