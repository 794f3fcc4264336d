import type { Db } from '#src/db/connect.ts';
import type { GoesOn } from '#src/processes/schedule.ts';
import * as repository from './message-upkeep.repository.ts';

const DAY_MS = 86_400_000;
/** Messages that one statement deletes: their files are removed together. */
const EXPIRED_PART = 500;
/** Ranges that one statement looks at. */
const READS_PART = 5_000;
const MARKS_PART = 1_000;
/** How long times of reading stay exact. */
const EXACT_MS = DAY_MS;
/** A message that was read within this time of its sending was read as it came (HIST20). */
const LIVE_MS = 10_000;

export interface MessageUpkeepDeps {
  db: Db;
  /** Null: messages are kept. */
  retentionDays: number | null;
  dropFiles(storedNames: readonly string[]): Promise<void>;
  now: () => Date;
}

/** Keeps the tables of messages from growing without end. Each job works in parts, of which any may be the last. */
export function createMessageUpkeep({ db, retentionDays, dropFiles, now }: MessageUpkeepDeps) {
  const ago = (ms: number) => new Date(now().getTime() - ms);
  return {
    /** Deletes messages that are older than the retention, with their images. */
    async expire(goesOn: GoesOn): Promise<void> {
      if (retentionDays === null) return;
      const before = ago(retentionDays * DAY_MS);
      while (await goesOn()) {
        const { count, storedNames } = await repository.deleteMessagesBefore(db, before, EXPIRED_PART);
        // Files go after their rows: a sweep removes what a crash leaves.
        await dropFiles(storedNames);
        if (count < EXPIRED_PART) return;
      }
    },

    /** Merges ranges that were read as they came. Deletes ranges of deleted messages, and marks of no use. */
    async compactReads(goesOn: GoesOn): Promise<void> {
      const options = { readBefore: ago(EXACT_MS), liveMs: LIVE_MS, limit: READS_PART };
      let from: repository.RangeKey | null = null;
      do {
        if (!(await goesOn())) return;
        from = await repository.compactReads(db, { ...options, from });
      } while (from !== null);
      while (await goesOn()) if ((await repository.deleteIdleMarks(db, MARKS_PART)) < MARKS_PART) return;
    },
  };
}
