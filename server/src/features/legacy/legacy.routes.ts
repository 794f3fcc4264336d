import {
  type callEvent,
  type device,
  type friend,
  getAllMaterialTypes,
  getDeviceByMacAddress,
  getFriendList,
  getInvitationList,
  getSentInvitation,
  getUserCallEvents,
  getUserEndCallEvents,
  type legacyInvitation,
} from '@pressel/contract/legacy';
import type * as z from 'zod';
import { seesEveryDevice } from '#src/accounts/policies.ts';
import { displayName } from '#src/accounts/present-user.ts';
import type { Db } from '#src/db/connect.ts';
import { requireSelf, type ServeCall } from '#src/http/call-server.ts';
import { AppError } from '#src/shared/app-error.ts';
import type { CallEventRow, findDevice, listContacts, listInvitations } from './legacy.repository.ts';
import * as repository from './legacy.repository.ts';

type RowOf<List extends (...args: never[]) => PromiseLike<readonly unknown[]>> = Awaited<ReturnType<List>>[number];

const presentCallEvent = ({ id, type, createdAt, call }: CallEventRow): z.input<typeof callEvent> => ({
  id,
  callId: call.id,
  type,
  createdAt: createdAt.toISOString(),
  caller: { id: call.callerId, display_name: call.callerName },
  callee: { id: call.calleeId, display_name: call.calleeName },
  reason: type === 'end' ? call.reason : null,
  rejection: type === 'end' ? call.rejection : null,
});

const presentFriend = (row: RowOf<typeof listContacts>): z.input<typeof friend> => ({
  id: row.id,
  firstName: row.firstName,
  lastName: row.lastName,
  pseudo: row.pseudo,
  display_name: displayName(row),
  createdAt: row.createdAt.toISOString(),
  lastCallAt: row.lastCallAt.toISOString(),
});

const presentInvitation = ({
  invitation,
  from,
  to,
}: RowOf<typeof listInvitations>): z.input<typeof legacyInvitation> => ({
  id: invitation.id,
  from: { id: from.id, display_name: displayName(from) },
  to: { id: to.id, display_name: displayName(to) },
  state: invitation.state,
  createdAt: invitation.createdAt.toISOString(),
});

const presentDevice = ({
  device: row,
  type,
}: NonNullable<Awaited<ReturnType<typeof findDevice>>>): z.input<typeof device> => ({
  id: row.id,
  display_name: row.displayName,
  macAddress: row.macAddress,
  type: type === null ? null : { id: type.id, name: type.name },
  manufacturer: row.manufacturer,
  productRef: row.productRef,
  createdAt: row.createdAt.toISOString(),
});

export function legacyRoutes(serve: ServeCall, db: Db): void {
  serve(getSentInvitation, async ({ aUserId }, { session }) => {
    requireSelf(session, aUserId);
    const rows = await repository.listInvitations(db, session.userId, 'sent');
    return { success: true as const, res: rows.map(presentInvitation) };
  });

  serve(getInvitationList, async ({ idUser }, { session }) => {
    requireSelf(session, idUser);
    const rows = await repository.listInvitations(db, session.userId, 'received');
    return { success: true as const, res: rows.map(presentInvitation) };
  });

  serve(getFriendList, async ({ idUser }, { session }) => {
    requireSelf(session, idUser);
    const rows = await repository.listContacts(db, session.userId);
    return { success: true as const, res: rows.map(presentFriend) };
  });

  serve(getUserCallEvents, async ({ userId }, { session }) => {
    requireSelf(session, userId);
    const rows = await repository.listCallEvents(db, session.userId);
    return { success: true as const, res: rows.map(presentCallEvent) };
  });

  serve(getUserEndCallEvents, async ({ callId }, { session }) => {
    const rows = await repository.listEnds(db, callId, session.userId);
    if (rows === null) throw new AppError('not_found', { what: 'call' });
    return { success: true as const, res: rows.map(presentCallEvent) };
  });

  serve(getAllMaterialTypes, async () => ({ success: true as const, res: await repository.listMaterialTypes(db) }));

  serve(getDeviceByMacAddress, async ({ macAddress }, { session }) => {
    const found = await repository.findDevice(db, macAddress, seesEveryDevice(session) ? null : session.userId);
    return { success: true as const, res: found && presentDevice(found) };
  });
}
