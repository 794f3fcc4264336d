import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { oneOf } from './one-of.ts';
import { users } from './users.ts';

export const channels = pgTable(
  'channels',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    /** The room's key: the name without white space. Two names with one key are a duplicate. */
    rtcSession: text('rtc_session').notNull().unique('channels_rtc_session_key'),
    talkMode: oneOf('talk_mode', ['single', 'open'], 'single').notNull().default('single'),
    createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
    /** Counts the changes of name and talk mode: an edit made from an older version is refused. */
    version: integer('version').notNull().default(1),
    /** The text that filters search, without case and accents. */
    searchText: text('search_text').generatedAlwaysAs(sql`fold_text(name)`).notNull(),
  },
  (table) => [index('channels_created_idx').on(table.createdAt)],
);

export const channelMembers = pgTable(
  'channel_members',
  {
    channelId: uuid('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
    /** The channel's newest message when the membership began: a new member has nothing to catch up on. */
    messagesBefore: bigint('messages_before', { mode: 'number' }).notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.userId] }),
    index('channel_members_user_idx').on(table.userId),
  ],
);
