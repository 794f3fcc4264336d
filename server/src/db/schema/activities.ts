import { index, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/**
 * What happened. Names are kept with the entry, and nothing is referenced: entries stay readable after their
 * user or channel is deleted.
 */
export const activities = pgTable(
  'activities',
  {
    id: uuid('id').primaryKey(),
    type: text('type').notNull(),
    userId: uuid('user_id').notNull(),
    userFirstName: text('user_first_name').notNull(),
    userDisplayName: text('user_display_name').notNull(),
    channelId: uuid('channel_id'),
    channelName: text('channel_name'),
    createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    index('activities_created_idx').on(table.createdAt.desc(), table.id),
    index('activities_user_idx').on(table.userId, table.createdAt.desc()),
    index('activities_channel_idx').on(table.channelId, table.createdAt.desc()),
  ],
);
