import type { ActivityType } from '@pressel/contract/activities';
import { activities } from '#src/db/schema/activities.ts';
import type { RecordActs } from '#src/platform/change.ts';
import { uuidV7 } from '#src/shared/ids.ts';

/** An act and who did it. Names are stored with it, so that the entry stays readable after a deletion. */
export interface Activity {
  type: ActivityType;
  user: { id: string; firstName: string; displayName: string };
  channel?: { id: string; name: string };
}

/** Stores acts. Call it with the transaction of the acts themselves: either all of it is stored or nothing. */
export const recordActivities: RecordActs = async (sql, entries) => {
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
