import { asc } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { isAnyOf } from '#src/db/list-sql.ts';
import { erasures } from '#src/db/schema/server.ts';
import type { Feature, Platform } from '#src/platform/platform.ts';
import type { GoesOn } from '#src/processes/schedule.ts';

/** The users and channels that were deleted first. */
const listErasures = (sql: Sql, limit: number) =>
  sql
    .select({ ownerId: erasures.ownerId, kind: erasures.kind })
    .from(erasures)
    .orderBy(asc(erasures.deletedAt), asc(erasures.ownerId))
    .limit(limit);

const endErasures = async (sql: Sql, ownerIds: readonly string[]): Promise<void> => {
  await sql.delete(erasures).where(isAnyOf(erasures.ownerId, ownerIds));
};

/** How often to look for what failed, or what another process left, ms. */
const LOOK_EVERY_MS = 60_000;
/** Users and channels whose history is deleted together. */
const OWNERS_AT_ONCE = 100;

/**
 * Deletes what a feature stores about users or channels that are gone, in parts that hold nobody up.
 * @returns false when it was told to stop before the end
 */
export type EraseHistory = (ownerIds: readonly string[], goesOn: GoesOn) => Promise<boolean>;

/** The functions that erase history, by the kind of its owner. */
export type ErasureNeeds = Readonly<Record<'user' | 'channel', readonly EraseHistory[]>>;

/**
 * Deletes the history of deleted users and channels, of which there may be millions of rows. The table `erasures` says whose is
 * left, so that it goes on after a crash.
 */
export function erasureFeature({ db, facts, schedule, log }: Platform, needs: ErasureNeeds): Feature {
  async function eraseAll(goesOn: GoesOn): Promise<void> {
    while (await goesOn()) {
      const owners = await listErasures(db, OWNERS_AT_ONCE);
      if (owners.length === 0) return;
      for (const kind of ['user', 'channel'] as const) {
        const ids = owners.filter((owner) => owner.kind === kind).map(({ ownerId }) => ownerId);
        if (ids.length === 0) continue;
        for (const erase of needs[kind]) if (!(await erase(ids, goesOn))) return;
        await endErasures(db, ids);
        log.info({ kind, count: ids.length }, 'history_erased');
      }
    }
  }

  const job = schedule.every(LOOK_EVERY_MS, 'erasure', eraseAll, { by: 'one' });
  facts.on('usersDeleted', job.soon);
  facts.on('channelDeleted', job.soon);
  return {
    api: undefined,
    // Deletes what a crash left.
    start: async () => job.soon(),
  };
}
