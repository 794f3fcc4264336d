import { eq } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { lastPositions } from '#src/db/schema/positions.ts';
import { users } from '#src/db/schema/users.ts';

export type PositionRow = Omit<typeof lastPositions.$inferSelect, 'loggedAt'>;

export const positionColumns = {
  userId: lastPositions.userId,
  recordedAt: lastPositions.recordedAt,
  lat: lastPositions.lat,
  lng: lastPositions.lng,
  accuracy: lastPositions.accuracy,
};

/** The latest positions of these users, by user id. Only for callers who may see them. */
export async function listLastPositions(sql: Sql, userIds: readonly string[]): Promise<Map<string, PositionRow>> {
  const rows = await sql.select(positionColumns).from(lastPositions).where(isAnyOf(lastPositions.userId, userIds));
  return new Map(rows.map((row) => [row.userId, row]));
}

/** Whether a user has the right to the map now. */
export const findMapRight = async (sql: Sql, userId: string): Promise<boolean> => {
  const [row] = await sql.select({ mapRight: users.mapRight }).from(users).where(eq(users.id, userId));
  return row?.mapRight ?? false;
};
