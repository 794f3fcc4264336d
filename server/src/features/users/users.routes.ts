import {
  changeUsers,
  deleteUser,
  getAllUsers,
  getUserById,
  getUserIds,
  updatePasswordUser,
  updateUserData,
  uploadUserPhoto,
} from '@pressel/contract/users';
import type { FastifyInstance } from 'fastify';
import { presentUser } from '#src/accounts/present-user.ts';
import type { ServeCall } from '#src/http/call-server.ts';
import { PHOTOS_PATH } from '#src/http/signed-paths.ts';
import { createYielder, mapInPieces } from '#src/shared/in-pieces.ts';
import type { UserPhotosService } from './user-photos.service.ts';
import type { UserChangesService, UsersService } from './users.service.ts';

export function userPhotoRoutes(
  serve: ServeCall,
  { app, photos }: { app: FastifyInstance; photos: UserPhotosService },
): void {
  serve(uploadUserPhoto, async ({ userId, photo_url }, { session, signal }) => ({
    success: true as const,
    photo_url: await photos.set(session, userId, photo_url, signal),
  }));

  app.get<{ Params: { file: string } }>(`${PHOTOS_PATH}:file`, async (request, reply) => {
    const { type, content, bytes, secondsLeft } = await photos.read(request.params.file, request.query);
    return reply
      .headers({
        'content-type': type,
        'content-length': bytes,
        'cache-control': `private, max-age=${secondsLeft}, immutable`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
      })
      .send(content);
  });
}

export interface UserRouteDeps {
  users: UsersService;
  userChanges: UserChangesService;
  /** Signed URL path of a photo. */
  photoUrl(photoId: string | null): string | null;
}

export function userRoutes(serve: ServeCall, { users, userChanges, photoUrl }: UserRouteDeps): void {
  serve(getAllUsers, async (body) => {
    const { users: found, total, connected } = await users.list(body);
    return {
      success: true,
      res: await mapInPieces(found, createYielder(), ({ user, ...around }) =>
        presentUser(user, { ...around, photoUrl: photoUrl(user.photoId) }),
      ),
      totalRecords: total,
      connected,
    };
  });

  serve(getUserIds, async (body) => ({ success: true, res: await users.ids(body) }));

  serve(getUserById, async ({ userId }, { session }) => {
    const { user, ...around } = await users.find(session, userId);
    return { success: true, res: presentUser(user, { ...around, photoUrl: photoUrl(user.photoId) }) };
  });

  serve(updateUserData, async (body, { session }) => {
    await users.update(session, body);
    return { success: true, result: 'User updated successfully' };
  });

  serve(updatePasswordUser, async ({ id, password }, { session }) => {
    await users.setPassword(session, id, password);
    return { success: true };
  });

  serve(deleteUser, async ({ UserId }, { session }) => {
    await users.remove(session, UserId);
    return { success: true };
  });

  serve(changeUsers, async ({ userIds, change }, { session }) => ({
    success: true as const,
    res: await userChanges.change(session, userIds, change),
  }));
}
