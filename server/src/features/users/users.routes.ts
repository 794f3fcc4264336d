import { deleteUser, getAllUsers, getUserById, updatePasswordUser, updateUserData } from '@pressel/contract/users';
import type { Db } from '#src/db/connect.ts';
import type { ServeCall } from '#src/shared/calls.ts';
import { presentUser } from '#src/shared/present-user.ts';
import { listSockets, listUsers } from './users.repository.ts';
import type { UsersService } from './users.service.ts';

export function userRoutes(serve: ServeCall, { db, users }: { db: Db; users: UsersService }): void {
  serve(getAllUsers, async () => {
    const rows = await listUsers(db);
    const socketsOf = Map.groupBy(await listSockets(db), (socket) => socket.userId);
    return {
      success: true,
      res: rows.map((row) => presentUser(row, socketsOf.get(row.id))),
      totalRecords: rows.length,
    };
  });

  serve(getUserById, async ({ userId }, { session }) => {
    const row = await users.find(session, userId);
    return { success: true, res: presentUser(row, await listSockets(db, [row.id])) };
  });

  serve(updateUserData, async (body, { session }) => {
    await users.update(session, body);
    return { success: true, result: 'User updated successfully' };
  });

  serve(updatePasswordUser, async ({ id, password }, { session }) => {
    await users.setPassword(session, id, password);
    return { success: true };
  });

  serve(deleteUser, async ({ UserId }) => {
    await users.remove(UserId);
    return { success: true };
  });
}
