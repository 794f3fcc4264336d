import type { callEvent, device, friend, legacyInvitation } from '@pressel/contract/legacy';
import type * as z from 'zod';
import { displayName } from '#src/accounts/present-user.ts';
import type { CallEventRow, findDevice, listContacts, listInvitations } from './legacy.repository.ts';

type RowOf<List extends (...args: never[]) => PromiseLike<readonly unknown[]>> = Awaited<ReturnType<List>>[number];

export const presentCallEvent = ({ id, type, createdAt, call }: CallEventRow): z.input<typeof callEvent> => ({
  id,
  callId: call.id,
  type,
  createdAt: createdAt.toISOString(),
  caller: { id: call.callerId, display_name: call.callerName },
  callee: { id: call.calleeId, display_name: call.calleeName },
  reason: type === 'end' ? call.reason : null,
  rejection: type === 'end' ? call.rejection : null,
});

export const presentFriend = (row: RowOf<typeof listContacts>): z.input<typeof friend> => ({
  id: row.id,
  firstName: row.firstName,
  lastName: row.lastName,
  pseudo: row.pseudo,
  display_name: displayName(row),
  createdAt: row.createdAt.toISOString(),
  lastCallAt: row.lastCallAt.toISOString(),
});

export const presentInvitation = ({
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

export const presentDevice = ({
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
