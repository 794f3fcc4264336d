import { type ActivityType, activityType } from '@pressel/contract/activity-types';
import { and, eq, sql as expression, type SQL } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { activities, activityHorizon } from '#src/db/schema/activities.ts';
import { users } from '#src/db/schema/users.ts';
import { arrayOf } from '#src/shared/list-sql.ts';

/** An entry that is not deleted, whether or not the rows from before the horizon are gone already (LOG41). */
export const isInLog: SQL = expression`created_at >= coalesce((select before from ${activityHorizon}), '-infinity')`;

/**
 * The newest activity of each user, of the specification's types, found by its index: for a lateral join with `users`.
 * @param channelId only of what they did there
 */
export const latestActivity = (sql: Sql, channelId?: string) =>
  sql
    .select({
      id: activities.id,
      // Sound: others are not found.
      type: expression<ActivityType>`${activities.type}`.as('type'),
      createdAt: activities.createdAt,
      channelName: activities.channelName,
    })
    .from(activities)
    .where(
      and(
        eq(activities.userId, users.id),
        expression`not ${activities.isAudit}`,
        // A newer version may have stored others before a roll-back.
        expression`${activities.type} = any(${arrayOf('text', activityType.options)})`,
        isInLog,
        channelId === undefined ? undefined : eq(activities.channelId, channelId),
      ),
    )
    .orderBy(expression`${activities.createdAt} desc nulls last`)
    .limit(1)
    .as('latest');
