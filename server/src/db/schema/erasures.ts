import { pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/**
 * Users and channels that are deleted and whose history is not. A trigger (migration 0014) adds a row for each, whoever
 * deletes them; the server takes it away when it has deleted the history.
 */
export const erasures = pgTable('erasures', {
  ownerId: uuid('owner_id').primaryKey(),
  kind: text('kind', { enum: ['user', 'channel'] }).notNull(),
  deletedAt: timestamp('deleted_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});
