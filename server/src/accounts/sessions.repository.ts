import { and, desc, eq, exists, sql as expression, gt, inArray, isNull, lte, ne, type SQL } from 'drizzle-orm';
import type { Db, Sql } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { preparedBuilt } from '#src/db/prepared-statement.ts';
import { guestLinks, guestSessions } from '#src/db/schema/channels.ts';
import { userSockets } from '#src/db/schema/presence.ts';
import { sessions, users } from '#src/db/schema/users.ts';

/** Whether a link opens its room; only this says so. Its maker must still be an administrator (GUEST5). */
export const isOpenLink = (sql: Sql, now: Date): SQL | undefined =>
  and(
    isNull(guestLinks.withdrawnAt),
    gt(guestLinks.expiresAt, now),
    exists(
      sql
        .select({ id: users.id })
        .from(users)
        .where(and(eq(users.id, guestLinks.createdBy), eq(users.role, 'admin'))),
    ),
  );

/** Finds a guest with an open link who was seen after a moment. */
export const findGuestSession = async (sql: Sql, tokenHash: string, seenAfter: Date, now: Date) => {
  const [row] = await sql
    .select({
      id: guestSessions.id,
      name: guestSessions.name,
      linkId: guestLinks.id,
      linkName: guestLinks.name,
      channelId: guestLinks.channelId,
      expiresAt: guestLinks.expiresAt,
    })
    .from(guestSessions)
    .innerJoin(guestLinks, eq(guestLinks.id, guestSessions.linkId))
    .where(and(eq(guestSessions.tokenHash, tokenHash), gt(guestSessions.seenAt, seenAfter), isOpenLink(sql, now)));
  return row ?? null;
};

/** Stores that these guests are present. @returns those whose links are open */
export const touchGuestSessions = async (sql: Sql, ids: readonly string[], now: Date): Promise<string[]> => {
  const rows = await sql
    .update(guestSessions)
    .set({ seenAt: now })
    .from(guestLinks)
    .where(and(isAnyOf(guestSessions.id, ids), eq(guestLinks.id, guestSessions.linkId), isOpenLink(sql, now)))
    .returning({ id: guestSessions.id });
  return rows.map(({ id }) => id);
};

export type SessionRow = typeof sessions.$inferSelect;

export const insertSession = async (sql: Sql, session: typeof sessions.$inferInsert): Promise<void> => {
  await sql.insert(sessions).values(session);
};

/** The columns that a call needs about its caller. The password's hash and the search text stay in the database. */
const CALLER = {
  tokenHash: sessions.tokenHash,
  id: sessions.id,
  userId: users.id,
  role: users.role,
  firstName: users.firstName,
  lastName: users.lastName,
  pseudo: users.pseudo,
  photoId: users.photoId,
  mapRight: users.mapRight,
  remember: sessions.remember,
  createdAt: sessions.createdAt,
  expiresAt: sessions.expiresAt,
  verifiedAt: sessions.verifiedAt,
  isProofKept: sessions.isProofKept,
};

/** Finds the unexpired sessions of some tokens, with their users. Prepared, because every call begins with it. */
export const prepareFindSessions = (db: Db) => {
  const statement = db
    .select(CALLER)
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        expression`${sessions.tokenHash} = any(${expression.placeholder('tokenHashes')}::text[])`,
        gt(sessions.expiresAt, expression.placeholder('now')),
      ),
    )
    .prepare('sessions_of_tokens');
  return (tokenHashes: readonly string[], now: Date) => statement.execute({ tokenHashes: [...tokenHashes], now });
};

/** Extends remembered sessions, up to a maximum after their sign-in. */
export const setSessionExpiry = async (
  sql: Sql,
  ids: readonly string[],
  expiresAt: Date,
  maxMs: number,
): Promise<void> => {
  if (ids.length === 0) return;
  const latest = expression`${sessions.createdAt} + make_interval(secs => ${maxMs / 1_000})`;
  await sql
    .update(sessions)
    .set({ expiresAt: expression`least(${expiresAt.toISOString()}::timestamptz, ${latest})` })
    .where(and(inArray(sessions.id, [...ids]), eq(sessions.remember, true)));
};

/** Stores when the session's user last proved their password. */
export const setVerified = async (sql: Sql, id: string, verifiedAt: Date, isProofKept: boolean): Promise<void> => {
  await sql.update(sessions).set({ verifiedAt, isProofKept }).where(eq(sessions.id, id));
};

/** A user's unexpired sessions, the newest first, and whether each has a live socket. */
export const listSessionsOf = (sql: Sql, userId: string, now: Date) =>
  sql
    .select({
      id: sessions.id,
      browser: sessions.browser,
      system: sessions.system,
      remember: sessions.remember,
      createdAt: sessions.createdAt,
      isConnected: expression<boolean>`exists (select 1 from ${userSockets}
        where ${userSockets.userId} = ${sessions.userId} and ${userSockets.sessionId} = ${sessions.id})`,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), gt(sessions.expiresAt, now)))
    .orderBy(desc(sessions.createdAt), desc(sessions.id));

/** The user of an unexpired session; null when there is none. */
export const findSessionOwner = async (sql: Sql, id: string, now: Date): Promise<string | null> => {
  const [row] = await sql
    .select({ userId: sessions.userId })
    .from(sessions)
    .where(and(eq(sessions.id, id), gt(sessions.expiresAt, now)));
  return row?.userId ?? null;
};

const validOf = preparedBuilt('valid_sessions', (sql) =>
  sql
    .select({
      id: sessions.id,
      remember: sessions.remember,
      createdAt: sessions.createdAt,
      expiresAt: sessions.expiresAt,
    })
    .from(sessions)
    .where(
      and(
        expression`${sessions.id} = any(${expression.placeholder('ids')}::uuid[])`,
        gt(sessions.expiresAt, expression.placeholder('now')),
      ),
    ),
);

/** Returns those of these sessions that have not expired. */
export const findValidSessions = (
  sql: Sql,
  ids: readonly string[],
  now: Date,
): Promise<Pick<SessionRow, 'id' | 'remember' | 'createdAt' | 'expiresAt'>[]> => validOf(sql, { ids: [...ids], now });

/** @returns whether it existed */
export const deleteSession = async (sql: Sql, id: string): Promise<boolean> => {
  const deleted = await sql.delete(sessions).where(eq(sessions.id, id));
  return (deleted.rowCount ?? 0) > 0;
};

/** Deletes all sessions of a user except the given one. @returns whether there were any */
export const deleteSessionsOf = async (sql: Sql, userId: string, exceptId: string | null): Promise<boolean> => {
  const theirs = eq(sessions.userId, userId);
  const deleted = await sql.delete(sessions).where(exceptId === null ? theirs : and(theirs, ne(sessions.id, exceptId)));
  return (deleted.rowCount ?? 0) > 0;
};

export const deleteEndedSessions = async (sql: Sql, now: Date): Promise<void> => {
  await sql.delete(sessions).where(lte(sessions.expiresAt, now));
};

/** The current role of the session's user; null when session or user no longer exist. */
export const roleInSession = async (
  sql: Sql,
  session: { id: string; userId: string },
): Promise<'admin' | 'member' | null> => {
  const [row] = await sql
    .select({ role: users.role })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.id, session.id), eq(users.id, session.userId)));
  return row?.role ?? null;
};
