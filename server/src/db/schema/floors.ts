import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';

const ms = (name: string) => bigint(name, { mode: 'number' });

/*
 * What several processes share of the floors. The migration makes these tables UNLOGGED: PostgreSQL empties them when it crashes, as
 * a process forgets its floors when it is killed. All times are ms since 1970 by the database's clock.
 */

export const floors = pgTable(
  'floors',
  {
    channelId: uuid('channel_id').primaryKey(),
    /** Another one after each change. Of the floor made anew it is above all earlier ones, since it begins with the time. */
    revision: ms('revision').notNull(),
    state: text('state').notNull(),
    /** When it was changed. */
    at: ms('at').notNull(),
    /** When its next lease or timer ends. */
    dueAt: ms('due_at'),
    /** Has such an end. A column of its own, so that renewals change no column that has an index. */
    isDue: boolean('is_due').notNull(),
  },
  (table) => [index('floors_due_idx').on(table.channelId).where(sql`is_due`)],
);

/** One row: since when the floors are remembered. */
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
    /** The floor's version that named it first; null while only its end is known. */
    version: ms('version'),
    beganAt: ms('began_at').notNull(),
    endedAt: ms('ended_at'),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.participantId, table.beganAt] }),
    index('floor_talks_version_idx').on(table.channelId, table.version),
  ],
);
