import type { UserId } from '@pressel/contract/ids';
import { and, asc, count, desc, eq, sql as expression, gt, isNotNull, isNull, lt, lte, or } from 'drizzle-orm';
import { isOpenLink } from '#src/accounts/sessions.repository.ts';
import type { Sql, Tx } from '#src/db/connect.ts';
import { instantOf, isAnyOf } from '#src/db/list-sql.ts';
import { channels, guestLinks, guestSessions } from '#src/db/schema/channels.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { users } from '#src/db/schema/users.ts';
import type { ChangeTx } from '#src/history/change.ts';

export type LinkRow = Omit<typeof guestLinks.$inferSelect, 'tokenHash' | 'createdBy'> & {
  maker: Pick<typeof users.$inferSelect, 'firstName' | 'lastName' | 'pseudo' | 'role'>;
};

const link = {
  id: guestLinks.id,
  channelId: guestLinks.channelId,
  name: guestLinks.name,
  createdAt: guestLinks.createdAt,
  expiresAt: guestLinks.expiresAt,
  withdrawnAt: guestLinks.withdrawnAt,
  lastUsedAt: guestLinks.lastUsedAt,
  maker: { firstName: users.firstName, lastName: users.lastName, pseudo: users.pseudo, role: users.role },
};

/** More than may be open at a time; the newest of those that ended fill it up. */
const LISTED_MAX = 100;

export const findChannel = async (sql: Sql, channelId: string) => {
  const [row] = await sql.select().from(channels).where(eq(channels.id, channelId));
  return row ?? null;
};

export const insertLink = async (tx: ChangeTx, row: typeof guestLinks.$inferInsert): Promise<void> => {
  await tx.insert(guestLinks).values(row);
};

export const countOpenLinks = async (sql: Sql, channelId: string, now: Date): Promise<number> => {
  const [row] = await sql
    .select({ open: count() })
    .from(guestLinks)
    .where(and(eq(guestLinks.channelId, channelId), isOpenLink(sql, now)));
  return row?.open ?? 0;
};

/** A channel's links that are open or ended after a moment. Those that can still be open come first, then the newest. */
export const listLinks = (sql: Sql, channelId: string, endedAfter: Date, now: Date): Promise<LinkRow[]> =>
  sql
    .select(link)
    .from(guestLinks)
    .innerJoin(users, eq(users.id, guestLinks.createdBy))
    .where(
      and(
        eq(guestLinks.channelId, channelId),
        gt(guestLinks.expiresAt, endedAfter),
        or(isNull(guestLinks.withdrawnAt), gt(guestLinks.withdrawnAt, endedAfter)),
      ),
    )
    .orderBy(desc(expression`${isOpenLink(sql, now)}`), desc(guestLinks.createdAt), desc(guestLinks.id))
    .limit(LISTED_MAX);

/** The guests who are in a room by these links, one row each, in order of arrival. */
export const listGuests = (sql: Sql, linkIds: readonly string[]) => {
  const since = expression<Date>`min(${userSockets.joinedAt})`.mapWith(userSockets.joinedAt);
  return sql
    .select({ id: guestSessions.id, linkId: guestSessions.linkId, name: guestSessions.name, since })
    .from(guestSessions)
    .innerJoin(userSockets, and(eq(userSockets.guestId, guestSessions.id), isNotNull(userSockets.channelId)))
    .where(isAnyOf(guestSessions.linkId, linkIds))
    .groupBy(guestSessions.id)
    .orderBy(asc(since), asc(guestSessions.id));
};

/** Withdraws a link unless it has ended. @returns it, whatever it was; null when there is none */
export const withdrawLink = async (tx: ChangeTx, linkId: string, now: Date) => {
  const [row] = await tx
    .update(guestLinks)
    .set({
      withdrawnAt: expression`case when ${guestLinks.expiresAt} > ${instantOf(now)}
        then coalesce(${guestLinks.withdrawnAt}, ${instantOf(now)}) else ${guestLinks.withdrawnAt} end`,
    })
    .where(eq(guestLinks.id, linkId))
    .returning({ id: guestLinks.id, channelId: guestLinks.channelId, name: guestLinks.name });
  return row ?? null;
};

/** Withdraws all links of a user, and ends the sessions of their guests. */
export const withdrawLinksOf = async (tx: ChangeTx, userId: string, now: Date): Promise<void> => {
  const rows = await tx
    .update(guestLinks)
    .set({ withdrawnAt: now })
    .where(and(isNull(guestLinks.withdrawnAt), eq(guestLinks.createdBy, userId)))
    .returning({ id: guestLinks.id });
  await deleteSessionsOfLinks(
    tx,
    rows.map(({ id }) => id),
  );
};

export const deleteSessionsOfLinks = async (tx: ChangeTx, linkIds: readonly string[]): Promise<void> => {
  await tx.delete(guestSessions).where(isAnyOf(guestSessions.linkId, linkIds));
};

/** The links among these that are open. */
export const listOpenLinks = async (sql: Sql, linkIds: readonly string[], now: Date): Promise<string[]> => {
  const rows = await sql
    .select({ id: guestLinks.id })
    .from(guestLinks)
    .where(and(isAnyOf(guestLinks.id, linkIds), isOpenLink(sql, now)));
  return rows.map(({ id }) => id);
};

/** A link by its token, and its channel. */
export const findLink = async (sql: Sql, tokenHash: string) => {
  const [row] = await sql
    .select({ ...link, channel: { name: channels.name, rtcSession: channels.rtcSession } })
    .from(guestLinks)
    .innerJoin(users, eq(users.id, guestLinks.createdBy))
    .innerJoin(channels, eq(channels.id, guestLinks.channelId))
    .where(eq(guestLinks.tokenHash, tokenHash));
  return row ?? null;
};

/** Locks a link that is open: its guests are counted, and it isn't withdrawn, until the transaction ends. */
export const lockOpenLink = async (tx: Tx, linkId: string, now: Date): Promise<boolean> => {
  const rows = await tx
    .select({ id: guestLinks.id })
    .from(guestLinks)
    .where(and(eq(guestLinks.id, linkId), isOpenLink(tx, now)))
    .for('update');
  return rows.length > 0;
};

export const countSessions = async (tx: Tx, linkId: string): Promise<number> => {
  const [row] = await tx.select({ here: count() }).from(guestSessions).where(eq(guestSessions.linkId, linkId));
  return row?.here ?? 0;
};

export const insertSession = async (tx: Tx, row: typeof guestSessions.$inferInsert): Promise<void> => {
  await tx.insert(guestSessions).values(row);
  await tx.update(guestLinks).set({ lastUsedAt: row.createdAt }).where(eq(guestLinks.id, row.linkId));
};

export const deleteSession = async (sql: Sql, id: string): Promise<void> => {
  await sql.delete(guestSessions).where(eq(guestSessions.id, id));
};

/** Deletes guests who were last seen before a moment: those of a link, or of all. */
export const deleteAway = async (sql: Sql, seenBefore: Date, linkId?: string): Promise<void> => {
  const isAway = lte(guestSessions.seenAt, seenBefore);
  await sql.delete(guestSessions).where(linkId === undefined ? isAway : and(isAway, eq(guestSessions.linkId, linkId)));
};

export const deleteLinksEndedBefore = async (sql: Sql, before: Date): Promise<void> => {
  await sql.delete(guestLinks).where(or(lt(guestLinks.expiresAt, before), lt(guestLinks.withdrawnAt, before)));
};

/** The guests among these who are in by an open link of this channel. */
export const listByOpenLinks = async (
  sql: Sql,
  channelId: string,
  ids: readonly string[],
  now: Date,
): Promise<UserId[]> => {
  const rows = await sql
    .select({ id: guestSessions.id })
    .from(guestSessions)
    .innerJoin(guestLinks, eq(guestLinks.id, guestSessions.linkId))
    .where(and(isAnyOf(guestSessions.id, ids), eq(guestLinks.channelId, channelId), isOpenLink(sql, now)));
  return rows.map(({ id }) => id as UserId);
};
