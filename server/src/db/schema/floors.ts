import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';

const ms = (name: string) => bigint(name, { mode: 'number' });

/*
 * The floors' state that several processes share. The migration makes these tables UNLOGGED: PostgreSQL empties them when it crashes,
 * just as a killed process forgets its floors. All times are ms since 1970 by the database's clock.
 */

export const floors = pgTable(
  'floors',
  {
    channelId: uuid('channel_id').primaryKey(),
    /** Changes with each change. A new floor's revision is above all earlier ones, because it starts with the time. */
    revision: ms('revision').notNull(),
    state: text('state').notNull(),
    /** When the floor was last changed. */
    at: ms('at').notNull(),
    /** When its next lease or timer ends. */
    dueAt: ms('due_at'),
    /** Whether there is such an end. It is a column of its own, so that renewals change no indexed column. */
    isDue: boolean('is_due').notNull(),
  },
  (table) => [index('floors_due_idx').on(table.channelId).where(sql`is_due`)],
);

/** One row: since when the floors have been remembered. */
export const floorEpochs = pgTable(
  'floor_epochs',
  { id: integer('id').primaryKey(), openedAt: ms('opened_at').notNull() },
  (table) => [check('floor_epochs_one', sql`${table.id} = 1`)],
);

/** The latest talks of each channel (TALK105). */
export const floorTalks = pgTable(
  'floor_talks',
  {
    channelId: uuid('channel_id').notNull(),
    participantId: text('participant_id').notNull(),
    userId: uuid('user_id').notNull(),
    name: text('name').notNull(),
    /** The floor's first version that named the talk; null while only its end is known. */
    version: ms('version'),
    beganAt: ms('began_at').notNull(),
    endedAt: ms('ended_at'),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.participantId, table.beganAt] }),
    index('floor_talks_version_idx').on(table.channelId, table.version),
  ],
);
