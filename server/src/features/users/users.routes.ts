import {
  changeUsers,
  deleteUser,
  getAllUsers,
  getUserById,
  getUserIds,
  updatePasswordUser,
  updateUserData,
} from '@pressel/contract/users';
import { presentUser } from '#src/accounts/present-user.ts';
import type { ServeCall } from '#src/http/call-server.ts';
import { createYielder, mapInPieces } from '#src/shared/in-pieces.ts';
import type { UserChangesService } from './user-changes.service.ts';
import type { UsersService } from './users.service.ts';

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
