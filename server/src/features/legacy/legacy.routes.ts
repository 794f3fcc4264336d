import {
  getAllMaterialTypes,
  getDeviceByMacAddress,
  getFriendList,
  getInvitationList,
  getSentInvitation,
  getUserCallEvents,
  getUserEndCallEvents,
} from '@pressel/contract/legacy';
import { seesEveryDevice } from '#src/accounts/policies.ts';
import type { Db } from '#src/db/connect.ts';
import { requireSelf, type ServeCall } from '#src/http/call-server.ts';
import { AppError } from '#src/shared/app-error.ts';
import { presentCallEvent, presentDevice, presentFriend, presentInvitation } from './legacy.present.ts';
import * as repository from './legacy.repository.ts';

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
