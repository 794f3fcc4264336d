import { and, eq, sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { activities } from '#src/db/schema/activities.ts';
import { users } from '#src/db/schema/users.ts';

/** The newest activity of each user, of the specification's types, found by its index: for a lateral join with `users`. */
export const latestActivity = (sql: Sql) =>
  sql
    .select({
      id: activities.id,
      type: activities.type,
      createdAt: activities.createdAt,
      channelName: activities.channelName,
    })
    .from(activities)
    .where(and(eq(activities.userId, users.id), expression`not ${activities.isAudit}`))
    .orderBy(expression`${activities.createdAt} desc nulls last`)
    .limit(1)
    .as('latest');
