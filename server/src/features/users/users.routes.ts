import { getAllUsers } from '@pressel/contract/users';
import type { Db } from '#src/db/connect.ts';
import type { ServeCall } from '#src/shared/calls.ts';
import { presentUser } from '#src/shared/present-user.ts';
import { listSockets, listUsers } from './users.repository.ts';

export function userRoutes(serve: ServeCall, { db }: { db: Db }): void {
  serve(getAllUsers, async () => {
    const rows = await listUsers(db);
    const socketsOf = Map.groupBy(await listSockets(db), (socket) => socket.userId);
    return { success: true, res: rows.map((row) => presentUser(row, socketsOf.get(row.id))) };
  });
}
