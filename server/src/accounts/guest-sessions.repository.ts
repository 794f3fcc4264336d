import { and, eq, exists, gt, isNull, type SQL } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { guestLinks, guestSessions } from '#src/db/schema/guests.ts';
import { users } from '#src/db/schema/users.ts';

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
