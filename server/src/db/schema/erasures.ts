import { pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/**
 * Deleted users and channels whose history is not deleted yet. A trigger (migration 0014) adds a row for each, whoever
 * deletes them; the server removes the row once it has deleted the history.
 */
export const erasures = pgTable('erasures', {
  ownerId: uuid('owner_id').primaryKey(),
  kind: text('kind', { enum: ['user', 'channel'] }).notNull(),
  deletedAt: timestamp('deleted_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});
