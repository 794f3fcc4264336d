import type { CallEnd, CallId, Rejection, WriteIn } from '@pressel/contract/calls';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { CALLS_PAGE, MISSED_CALLS_LISTED } from '@pressel/contract/limits';
import {
  and,
  count,
  desc,
  eq,
  sql as expression,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  or,
  type SQL,
} from 'drizzle-orm';
import { type AnyPgColumn, alias, unionAll } from 'drizzle-orm/pg-core';
import * as z from 'zod';
import { callColumns } from '#src/accounts/users.repository.ts';
import type { Sql, Tx } from '#src/db/connect.ts';
import { preparedBuilt } from '#src/db/prepared-statement.ts';
import { callEvents, calls, contacts } from '#src/db/schema/calls.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { servers, userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import type { CallSide } from './active-calls.ts';

export type CallRow = typeof calls.$inferSelect;

/** The parts of an active call that other processes need besides its columns. */
export const knownCall = z.object({
  callerFirstName: z.string(),
  callerAddress: z.string().nullable(),
  callerSocket: z.string(),
  callerSession: z.string(),
  sharesChannel: z.boolean(),
  /** Null while it rings. */
  calleeSocket: z.string().nullable(),
  calleeSession: z.string().nullable(),
  /** When its caller's process last stored that it goes on (RING24). Earlier versions don't say. */
  seenAt: z.iso.datetime().optional().catch(undefined),
});
export type KnownCall = z.infer<typeof knownCall>;

/** Somebody who might be called, and whether they share a channel with the caller; null: there is no such user. */
export async function findCallee(sql: Sql, callerId: UserId, calleeId: UserId) {
  const [own, theirs] = [alias(channelMembers, 'own'), alias(channelMembers, 'theirs')];
  const common = sql
    .select({ one: expression`1` })
    .from(own)
    .innerJoin(theirs, eq(theirs.channelId, own.channelId))
    .where(and(eq(own.userId, callerId), eq(theirs.userId, calleeId)));
  const [row] = await sql
    .select({
      firstName: users.firstName,
      lastName: users.lastName,
      pseudo: users.pseudo,
      role: users.role,
      sharesChannel: expression<boolean>`exists ${common}`,
    })
    .from(users)
    .where(eq(users.id, calleeId));
  return row ?? null;
}

/** The smallest channel of which both are members, where they can write to each other; null: they share none. */
export async function findSharedChannel(sql: Sql, userId: UserId, otherId: UserId): Promise<WriteIn | null> {
  const [own, theirs] = [alias(channelMembers, 'own'), alias(channelMembers, 'theirs')];
  const members = expression`(select count(*) from ${channelMembers} where ${channelMembers.channelId} = ${channels.id})`;
  const [row] = await sql
    .select({ channelId: channels.id, name: channels.name, rtcSession: channels.rtcSession })
    .from(own)
    .innerJoin(theirs, eq(theirs.channelId, own.channelId))
    .innerJoin(channels, eq(channels.id, own.channelId))
    .where(and(eq(own.userId, userId), eq(theirs.userId, otherId)))
    .orderBy(members, channels.name)
    .limit(1);
  return row === undefined ? null : { ...row, channelId: row.channelId as ChannelId };
}

/** A user's calls from before one of them, newest first. One more than a page, which tells whether there are more. */
export const listCalls = (sql: Sql, userId: UserId, before: CallId | undefined): Promise<CallRow[]> => {
  const isTheirs = or(eq(calls.callerId, userId), eq(calls.calleeId, userId));
  const place = alias(calls, 'place');
  const isBefore = expression`(${calls.createdAt}, ${calls.id}) < (select ${place.createdAt}, ${place.id} from ${calls} ${place}
    where ${place.id} = ${before ?? null} and (${place.callerId} = ${userId} or ${place.calleeId} = ${userId}))`;
  return sql
    .select(callColumns)
    .from(calls)
    .where(and(isTheirs, before === undefined ? undefined : isBefore))
    .orderBy(desc(calls.createdAt), desc(calls.id))
    .limit(CALLS_PAGE + 1);
};

const insertEvent = async (
  tx: Tx,
  callId: string,
  type: (typeof callEvents.$inferSelect)['type'],
  createdAt: Date,
): Promise<void> => {
  await tx.insert(callEvents).values({ id: uuidV7(+createdAt), callId, type, createdAt });
};

/** Stores a call that begins to ring. */
export const insertCall = async (tx: Tx, call: typeof calls.$inferInsert): Promise<void> => {
  await tx.insert(calls).values(call);
  await insertEvent(tx, call.id, 'ring', call.createdAt);
};

/** Stores which socket takes the call. @returns false: another one took it, or it is over */
export const acceptCall = async (
  tx: Tx,
  id: CallId,
  by: { acceptedAt: Date; calleeServerId: string; socket: string; session: string },
): Promise<boolean> => {
  const { acceptedAt, calleeServerId, socket, session } = by;
  const seenAt = acceptedAt.toISOString();
  const taken: Partial<KnownCall> = { calleeSocket: socket, calleeSession: session, seenAt };
  const { rowCount } = await tx
    .update(calls)
    .set({ acceptedAt, calleeServerId, live: expression`${calls.live} || ${JSON.stringify(taken)}::jsonb` })
    .where(and(eq(calls.id, id), isNull(calls.acceptedAt), isNull(calls.endedAt)));
  if (rowCount === 0) return false;
  await insertEvent(tx, id, 'accept', acceptedAt);
  return true;
};

/** Stores the socket with which one of the two goes on. @returns null: the call is over */
export const moveCall = async (
  tx: Tx,
  id: CallId,
  side: CallSide,
  { serverId, socket }: { serverId: string; socket: string },
): Promise<CallRow | null> => {
  const isCaller = side === 'caller';
  const moved: Partial<KnownCall> = isCaller ? { callerSocket: socket } : { calleeSocket: socket };
  const [row] = await tx
    .update(calls)
    .set({
      ...(isCaller ? { serverId } : { calleeServerId: serverId }),
      live: expression`${calls.live} || ${JSON.stringify(moved)}::jsonb`,
    })
    .where(and(eq(calls.id, id), isNull(calls.endedAt)))
    .returning();
  return row ?? null;
};

/** Stores that these calls go on. */
export const noteSeen = async (sql: Sql, ids: readonly CallId[], at: Date): Promise<void> => {
  const seen: Partial<KnownCall> = { seenAt: at.toISOString() };
  await sql
    .update(calls)
    .set({ live: expression`${calls.live} || ${JSON.stringify(seen)}::jsonb` })
    .where(and(inArray(calls.id, [...ids]), isNull(calls.endedAt)));
};

export interface StoredEnd {
  reason: CallEnd;
  rejection: Rejection | null;
  isMissed: boolean;
  endedAt: Date;
}

/** @returns false: it is over already, or it was taken although the caller of this knew it ringing */
export const endCall = async (tx: Tx, id: CallId, end: StoredEnd, wasAccepted: boolean): Promise<boolean> => {
  const isAsKnown = wasAccepted ? undefined : isNull(calls.acceptedAt);
  const { rowCount } = await tx
    .update(calls)
    .set({ ...end, live: null })
    .where(and(eq(calls.id, id), isNull(calls.endedAt), isAsKnown));
  if (rowCount === 0) return false;
  await insertEvent(tx, id, 'end', end.endedAt);
  return true;
};

/** Whether the process that a column names is there. */
const isThere = (serverId: AnyPgColumn) =>
  expression<boolean>`exists (select 1 from ${servers} where ${servers.id} = ${serverId})`;

/** Whether the process is there that holds the socket of one of the two. */
export async function isProcessThere(sql: Sql, id: CallId, side: CallSide): Promise<boolean> {
  const [row] = await sql
    .select({ is: isThere(side === 'caller' ? calls.serverId : calls.calleeServerId) })
    .from(calls)
    .where(eq(calls.id, id));
  return row?.is === true;
}

/**
 * Which of these users are in a call that goes on. A caller whose process is gone may never come back, and isn't. The user who took the call
 * is in it as long as either process is there (RING4).
 */
export const listBusy = (sql: Sql, userIds: readonly UserId[]): Promise<{ id: string; userId: string | null }[]> => {
  const isCallerThere = isThere(calls.serverId);
  const inCall = (user: AnyPgColumn<{ data: string; notNull: false }>, isIn: SQL | undefined) =>
    sql
      .select({ id: calls.id, userId: user })
      .from(calls)
      .where(and(isNull(calls.endedAt), inArray(user, [...userIds]), isIn));
  return unionAll(
    inCall(calls.callerId, isCallerThere),
    inCall(calls.calleeId, or(isCallerThere, isThere(calls.calleeServerId))),
  );
};

/** A call that goes on, as another process may know it. */
export async function findOpenCall(sql: Sql, id: CallId): Promise<CallRow | null> {
  const [row] = await sql
    .select(callColumns)
    .from(calls)
    .where(and(eq(calls.id, id), isNull(calls.endedAt)));
  return row ?? null;
}

/** Locks a call until the transaction ends. @returns null: it is over */
export async function lockOpenCall(tx: Tx, id: CallId): Promise<CallRow | null> {
  const [row] = await tx
    .select(callColumns)
    .from(calls)
    .where(and(eq(calls.id, id), isNull(calls.endedAt)))
    .for('update');
  return row ?? null;
}

/** How a call ended that a user took part in; null: there is no such call, or it goes on. */
export async function findEnd(sql: Sql, id: CallId, userId: UserId): Promise<CallEnd | null> {
  const isTheirs = or(eq(calls.callerId, userId), eq(calls.calleeId, userId));
  const [row] = await sql
    .select({ reason: calls.reason })
    .from(calls)
    .where(and(eq(calls.id, id), isTheirs, isNotNull(calls.acceptedAt), isNotNull(calls.endedAt)));
  return row?.reason ?? null;
}

/** How a call ended that anybody was in; null: there is no such call, or it goes on. */
export async function findStoredEnd(sql: Sql, id: CallId): Promise<Pick<CallRow, 'reason' | 'rejection'> | null> {
  const [row] = await sql
    .select({ reason: calls.reason, rejection: calls.rejection })
    .from(calls)
    .where(eq(calls.id, id));
  return row ?? null;
}

const ringingOf = preparedBuilt('ringing_calls', (sql) =>
  sql
    .selectDistinctOn([calls.calleeId], callColumns)
    .from(calls)
    .where(
      and(
        expression`${calls.calleeId} = any(${expression.placeholder('userIds')}::uuid[])`,
        isNull(calls.endedAt),
        isNull(calls.acceptedAt),
        isThere(calls.serverId),
      ),
    )
    .orderBy(calls.calleeId, desc(calls.createdAt)),
);

/** The calls that ring at each of these users, in the order of the users; null where none rings. */
export async function findRinging(sql: Sql, userIds: readonly UserId[]): Promise<(CallRow | null)[]> {
  const rows = await ringingOf(sql, { userIds: [...userIds] });
  const byUser = new Map(rows.map((row) => [row.calleeId, row]));
  return userIds.map((id) => byUser.get(id) ?? null);
}

/** Adds somebody to a user's contacts. */
export const putContact = async (tx: Tx, userId: UserId, contactId: UserId, at: Date): Promise<void> => {
  await tx
    .insert(contacts)
    .values({ userId, contactId, createdAt: at, lastCallAt: at })
    .onConflictDoUpdate({ target: [contacts.userId, contacts.contactId], set: { lastCallAt: at } });
};

/** Deletes somebody from all contacts: at most two rows for each other user. */
export const deleteContactsOf = async (sql: Sql, userId: string): Promise<void> => {
  await sql.delete(contacts).where(eq(contacts.userId, userId));
  await sql.delete(contacts).where(eq(contacts.contactId, userId));
};

/**
 * Locks calls from before a moment that nobody ended: those of this process, and those whose two processes are not both there.
 * A process is there as long as its lease is; rows of its sockets may be missing for a moment. Calls of earlier versions name
 * no process.
 */
export const lockOrphans = (tx: Tx, before: Date, serverId: string): Promise<(CallRow & { isLost: boolean })[]> => {
  const isUnknown = expression`(${calls.serverId} is null
    and not exists (select 1 from ${userSockets} where ${userSockets.socketId} = ${calls.callerSocket}))`;
  const isGone = (column: AnyPgColumn) => expression`(${column} is not null and not ${isThere(column)})`;
  const isLost = expression<boolean>`(${isUnknown} or ${isGone(calls.serverId)} or ${isGone(calls.calleeServerId)})`;
  return tx
    .select({ ...callColumns, isLost })
    .from(calls)
    .where(and(isNull(calls.endedAt), lt(calls.createdAt, before), or(isLost, eq(calls.serverId, serverId))))
    .limit(100)
    .for('update', { of: calls, skipLocked: true });
};

export const deleteCallsBefore = async (sql: Sql, before: Date): Promise<void> => {
  await sql.delete(calls).where(lt(calls.createdAt, before));
};

const isUnseen = (userId: UserId) => and(eq(calls.calleeId, userId), calls.isMissed, isNull(calls.seenAt));

const missedOf = preparedBuilt('missed_calls', (sql) =>
  sql
    .select({ userId: calls.calleeId, missed: count() })
    .from(calls)
    .where(
      and(
        expression`${calls.calleeId} = any(${expression.placeholder('userIds')}::uuid[])`,
        calls.isMissed,
        isNull(calls.seenAt),
      ),
    )
    .groupBy(calls.calleeId),
);

/** How many missed calls each of these users has not seen, in the order of the users. */
export async function countMissedOfEach(sql: Sql, userIds: readonly UserId[]): Promise<number[]> {
  const byUser = new Map((await missedOf(sql, { userIds: [...userIds] })).map((row) => [row.userId, row.missed]));
  return userIds.map((id) => byUser.get(id) ?? 0);
}

export const countMissed = async (sql: Sql, userId: UserId): Promise<number> =>
  (await countMissedOfEach(sql, [userId]))[0] ?? 0;

/** The newest missed calls that a user has not seen, newest first. */
export const listMissed = (sql: Sql, userId: UserId): Promise<CallRow[]> =>
  sql
    .select(callColumns)
    .from(calls)
    .where(isUnseen(userId))
    .orderBy(desc(calls.createdAt), desc(calls.id))
    .limit(MISSED_CALLS_LISTED);

/** @param upTo the last call that was shown; undefined: all */
export const markSeen = async (sql: Sql, userId: UserId, seenAt: Date, upTo: CallId | undefined): Promise<void> => {
  const shown =
    upTo === undefined
      ? undefined
      : lte(
          calls.createdAt,
          expression`(select ${calls.createdAt} from ${calls} where ${calls.id} = ${upTo} and ${calls.calleeId} = ${userId})`,
        );
  const unseen = sql
    .select({ id: calls.id })
    .from(calls)
    .where(and(isUnseen(userId), shown));
  await sql.update(calls).set({ seenAt }).where(inArray(calls.id, unseen));
};
