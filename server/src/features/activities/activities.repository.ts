import type { ActivityType } from '@pressel/contract/activities';
import type { Sql } from '#src/db/connect.ts';
import { activities } from '#src/db/schema/activities.ts';
import { uuidV7 } from '#src/shared/ids.ts';

/** An act and who did it. Names are stored with it, so that the entry stays readable after a deletion. */
export interface Activity {
  type: ActivityType;
  user: { id: string; firstName: string; displayName: string };
  channel?: { id: string; name: string };
}

/** Stores an act. Call it with the transaction of the act itself: either both are stored or neither. */
export type RecordActivity = (sql: Sql, activity: Activity) => Promise<void>;

export const recordActivities = async (sql: Sql, entries: readonly (Activity & { at: Date })[]): Promise<void> => {
  if (entries.length === 0) return;
  await sql.insert(activities).values(
    entries.map(({ type, user, channel, at }) => ({
      id: uuidV7(at.getTime()),
      type,
      userId: user.id,
      userFirstName: user.firstName,
      userDisplayName: user.displayName,
      channelId: channel?.id ?? null,
      channelName: channel?.name ?? null,
      createdAt: at,
    })),
  );
};

export const recordActivity: RecordActivity = (sql, activity) =>
  recordActivities(sql, [{ ...activity, at: new Date() }]);
