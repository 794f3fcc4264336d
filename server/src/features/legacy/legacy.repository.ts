import type { CallId } from '@pressel/contract/calls';
import type { UserId } from '@pressel/contract/ids';
import { CALL_EVENTS_MAX } from '@pressel/contract/limits';
import { aliasedTable, and, asc, desc, eq, inArray, or } from 'drizzle-orm';
import { callColumns } from '#src/accounts/users.repository.ts';
import type { Sql } from '#src/db/connect.ts';
import { callEvents, calls, contacts } from '#src/db/schema/calls.ts';
import { devices, invitations, materialTypes } from '#src/db/schema/legacy.ts';
import { users } from '#src/db/schema/users.ts';

const isOf = (userId: UserId) => or(eq(calls.callerId, userId), eq(calls.calleeId, userId));

const event = { id: callEvents.id, type: callEvents.type, createdAt: callEvents.createdAt, call: callColumns };

/** The newest events of the calls of a user, newest first. */
export const listCallEvents = (sql: Sql, userId: UserId) =>
  sql
    .select(event)
    .from(callEvents)
    .innerJoin(calls, eq(calls.id, callEvents.callId))
    // A newer version may have stored events of other types.
    .where(and(isOf(userId), inArray(callEvents.type, callEvents.type.enumValues)))
    .orderBy(desc(callEvents.createdAt), desc(callEvents.id))
    .limit(CALL_EVENTS_MAX);

/** How a user's call ended: empty while it goes on, null when they have no such call. */
export async function listEnds(sql: Sql, callId: CallId, userId: UserId) {
  const own = and(eq(calls.id, callId), isOf(userId));
  const [found] = await sql.select({ id: calls.id }).from(calls).where(own);
  if (found === undefined) return null;
  return sql
    .select(event)
    .from(callEvents)
    .innerJoin(calls, eq(calls.id, callEvents.callId))
    .where(and(own, eq(callEvents.type, 'end')));
}

export type CallEventRow = Awaited<ReturnType<typeof listCallEvents>>[number];

/** A user's contacts; the last to call or be called comes first. */
export const listContacts = (sql: Sql, userId: UserId) =>
  sql
    .select({
      id: users.id,
      firstName: users.firstName,
      lastName: users.lastName,
      pseudo: users.pseudo,
      createdAt: contacts.createdAt,
      lastCallAt: contacts.lastCallAt,
    })
    .from(contacts)
    .innerJoin(users, eq(users.id, contacts.contactId))
    .where(eq(contacts.userId, userId))
    .orderBy(desc(contacts.lastCallAt), asc(users.id));

/** The invitations that a user sent or got, newest first. */
export function listInvitations(sql: Sql, userId: UserId, which: 'sent' | 'received') {
  const [from, to] = [aliasedTable(users, 'sender'), aliasedTable(users, 'receiver')];
  return sql
    .select({ invitation: invitations, from, to })
    .from(invitations)
    .innerJoin(from, eq(from.id, invitations.fromId))
    .innerJoin(to, eq(to.id, invitations.toId))
    .where(eq(which === 'sent' ? invitations.fromId : invitations.toId, userId))
    .orderBy(desc(invitations.createdAt), desc(invitations.id));
}

export const listMaterialTypes = (sql: Sql) =>
  sql.select().from(materialTypes).orderBy(asc(materialTypes.name), asc(materialTypes.id));

/** @param ownerId finds the device only if this user owns it; null: of any owner */
export async function findDevice(sql: Sql, macAddress: string, ownerId: UserId | null) {
  const [row] = await sql
    .select({ device: devices, type: materialTypes })
    .from(devices)
    .leftJoin(materialTypes, eq(materialTypes.id, devices.typeId))
    .where(and(eq(devices.macAddress, macAddress), ownerId === null ? undefined : eq(devices.ownerId, ownerId)));
  return row ?? null;
}
