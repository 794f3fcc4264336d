import { asc } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { erasures } from '#src/db/schema/server.ts';

/** The users and channels that were deleted first. */
export const listErasures = (sql: Sql, limit: number) =>
  sql
    .select({ ownerId: erasures.ownerId, kind: erasures.kind })
    .from(erasures)
    .orderBy(asc(erasures.deletedAt), asc(erasures.ownerId))
    .limit(limit);

export const endErasures = async (sql: Sql, ownerIds: readonly string[]): Promise<void> => {
  await sql.delete(erasures).where(isAnyOf(erasures.ownerId, ownerIds));
};
