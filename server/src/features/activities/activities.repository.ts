import type { ActivityType } from '@pressel/contract/activity-types';
import { sql as expression } from 'drizzle-orm';
import { activities } from '#src/db/schema/activities.ts';
import type { RecordActs, RecordWithin } from '#src/platform/change.ts';
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

/** Stores an entry as part of another statement, so that both are stored or neither. */
export const recordWithin: RecordWithin = ({ type, user, at }, from) => expression`
  insert into ${activities}
    (id, type, user_id, user_first_name, user_display_name, channel_id, channel_name, created_at)
  select ${uuidV7(at.getTime())}::uuid, ${type}, ${user.id}::uuid, ${user.firstName}, ${user.displayName},
    id, name, ${at.toISOString()}::timestamptz
  from ${from}`;
