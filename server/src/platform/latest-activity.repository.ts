import { eq, sql as expression } from 'drizzle-orm';
import type { Sql } from '#src/db/connect.ts';
import { activities } from '#src/db/schema/activities.ts';
import { users } from '#src/db/schema/users.ts';

/** The newest activity of each user, found by its index: for a lateral join with `users`. */
export const latestActivity = (sql: Sql) =>
  sql
    .select({
      id: activities.id,
      type: activities.type,
      createdAt: activities.createdAt,
      channelName: activities.channelName,
    })
    .from(activities)
    .where(eq(activities.userId, users.id))
    .orderBy(expression`${activities.createdAt} desc nulls last`)
    .limit(1)
    .as('latest');
