import type { CallEnd, CallId, Rejection, WriteIn } from '@pressel/contract/calls';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { CALLS_PAGE, MISSED_CALLS_LISTED } from '@pressel/contract/limits';
import { and, count, desc, eq, sql as expression, inArray, isNull, lt, lte, or } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Sql, Tx } from '#src/db/connect.ts';
import { callEvents, calls, contacts } from '#src/db/schema/calls.ts';
import { channelMembers, channels } from '#src/db/schema/channels.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';
import { callColumns } from '#src/platform/users.repository.ts';
import { uuidV7 } from '#src/shared/ids.ts';

export type CallRow = typeof calls.$inferSelect;

/** Somebody who might be called, and whether they share a channel with the caller; null: there is nobody. */
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

/** A user's calls from before one of them, newest first: one more than a page, so that it is known whether there are more. */
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

export const acceptCall = async (tx: Tx, id: CallId, acceptedAt: Date): Promise<void> => {
  await tx.update(calls).set({ acceptedAt }).where(eq(calls.id, id));
  await insertEvent(tx, id, 'accept', acceptedAt);
};

export interface StoredEnd {
  reason: CallEnd;
  rejection: Rejection | null;
  isMissed: boolean;
  endedAt: Date;
}

export const endCall = async (tx: Tx, id: CallId, end: StoredEnd): Promise<void> => {
  await tx.update(calls).set(end).where(eq(calls.id, id));
  await insertEvent(tx, id, 'end', end.endedAt);
};

/** Puts somebody among a user's contacts. */
export const putContact = async (tx: Tx, userId: UserId, contactId: UserId, at: Date): Promise<void> => {
  await tx
    .insert(contacts)
    .values({ userId, contactId, createdAt: at, lastCallAt: at })
    .onConflictDoUpdate({ target: [contacts.userId, contacts.contactId], set: { lastCallAt: at } });
};

/** Deletes somebody from the contacts: at most two rows for each other user. */
export const deleteContactsOf = async (sql: Sql, userId: string): Promise<void> => {
  await sql.delete(contacts).where(eq(contacts.userId, userId));
  await sql.delete(contacts).where(eq(contacts.contactId, userId));
};

/** Calls from before a moment that nobody ended and whose caller's socket is gone; they are locked. */
export const lockOrphans = (tx: Tx, before: Date): Promise<CallRow[]> =>
  tx
    .select(callColumns)
    .from(calls)
    .where(
      and(
        isNull(calls.endedAt),
        lt(calls.createdAt, before),
        expression`not exists (select 1 from ${userSockets} where ${userSockets.socketId} = ${calls.callerSocket})`,
      ),
    )
    .limit(100)
    .for('update', { of: calls, skipLocked: true });

export const deleteCallsBefore = async (sql: Sql, before: Date): Promise<void> => {
  await sql.delete(calls).where(lt(calls.createdAt, before));
};

const isUnseen = (userId: UserId) => and(eq(calls.calleeId, userId), calls.isMissed, isNull(calls.seenAt));

export const countMissed = async (sql: Sql, userId: UserId): Promise<number> => {
  const [row] = await sql.select({ missed: count() }).from(calls).where(isUnseen(userId));
  return row?.missed ?? 0;
};

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
