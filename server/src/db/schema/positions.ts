import { doublePrecision, pgTable, primaryKey, real, timestamp, uuid } from 'drizzle-orm/pg-core';
import { users } from './users.ts';

/**
 * Where users were: every accepted position, until it is too old. There is no foreign key: with millions of rows a cascade
 * would slow down the deletion of a user. The rows are removed later (`erasures`).
 */
export const userPositions = pgTable(
  'user_positions',
  {
    userId: uuid('user_id').notNull(),
    recordedAt: timestamp('recorded_at', { withTimezone: true, precision: 3 }).notNull(),
    /** Degrees, WGS 84. */
    lat: doublePrecision('lat').notNull(),
    lng: doublePrecision('lng').notNull(),
    /** Radius in metres; null when the device did not say. */
    accuracy: real('accuracy'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.recordedAt] })],
);

/** The latest position of each user, for quick reading. */
export const lastPositions = pgTable('last_positions', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  recordedAt: timestamp('recorded_at', { withTimezone: true, precision: 3 }).notNull(),
  lat: doublePrecision('lat').notNull(),
  lng: doublePrecision('lng').notNull(),
  accuracy: real('accuracy'),
  /** When a position of this user was last entered in the activity log. */
  loggedAt: timestamp('logged_at', { withTimezone: true, precision: 3 }).notNull(),
});
