import type { ActivityType } from '@pressel/contract/activities';
import { activities } from '#src/db/schema/activities.ts';
import type { RecordActs } from '#src/platform/change.ts';
import { uuidV7 } from '#src/shared/ids.ts';

/** An entry of the activity log. It stores names too, so that it stays readable after users or channels are deleted. */
export interface Activity {
  type: ActivityType;
  user: { id: string; firstName: string; displayName: string };
  channel?: { id: string; name: string };
}

/** Stores entries. Pass the transaction of the logged changes, so that both are stored or neither. */
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
