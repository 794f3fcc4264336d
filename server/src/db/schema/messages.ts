import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, timestamp, unique, uuid } from 'drizzle-orm/pg-core';
import { channels } from './channels.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
/** A message's number, or a mark of one. */
const place = (name: string) => bigint(name, { mode: 'number' });

/**
 * The highest number given in a channel. Whoever stores a message increments it first: the row is locked until they
 * commit, so that numbers have no gaps and are in the order of the commits.
 */
export const messageCounters = pgTable('message_counters', {
  channelId: uuid('channel_id')
    .primaryKey()
    .references(() => channels.id, { onDelete: 'cascade' }),
  newest: place('newest').notNull(),
});

/**
 * Messages. The sender's name is kept with the entry, and neither users nor channels are referenced: messages stay when
 * those are deleted. Of a deleted message the row stays, without its text: neither its number nor its sender's id of it may
 * be given again.
 */
export const messages = pgTable(
  'messages',
  {
    id: uuid('id').primaryKey(),
    channelId: uuid('channel_id').notNull(),
    number: place('number').notNull(),
    userId: uuid('user_id').notNull(),
    userDisplayName: text('user_display_name').notNull(),
    text: text('text').notNull(),
    /** The sender's own id of the message. */
    clientId: uuid('client_id').notNull(),
    createdAt: moment('created_at').notNull(),
    deletedAt: moment('deleted_at'),
    /** What a search looks at: without case and accents, on one line. */
    searchText: text('search_text').generatedAlwaysAs(sql`translate(fold_text(text), E'\\n', ' ')`).notNull(),
  },
  (table) => [
    unique('messages_place_key').on(table.channelId, table.number),
    unique('messages_client_key').on(table.userId, table.clientId),
    // Leads to those that are older than the retention.
    index('messages_created_idx').on(table.createdAt),
  ],
);

/** The images of messages. The files are in DATA_DIR/files/messages. */
export const messageFiles = pgTable('message_files', {
  messageId: uuid('message_id')
    .primaryKey()
    .references(() => messages.id, { onDelete: 'cascade' }),
  /** 128 random bits, hexadecimal: the name of the files, without their endings. */
  storedName: text('stored_name').notNull().unique('message_files_name_key'),
  /** As the sender's device named it, with the ending of what is stored. */
  fileName: text('file_name').notNull(),
  /** Pixels. */
  width: integer('width').notNull(),
  height: integer('height').notNull(),
  bytes: integer('bytes').notNull(),
});

/**
 * How far a user has read in a channel. Whoever has a row of `message_reads` has one here. Neither table has a foreign key:
 * a cascade would hold up the deletion of a user or channel. Their rows go afterwards (`erasures`).
 */
export const messageMarks = pgTable(
  'message_marks',
  {
    userId: uuid('user_id').notNull(),
    channelId: uuid('channel_id').notNull(),
    readUpTo: place('read_up_to').notNull(),
    /** When the last activity message_read was recorded. */
    recordedAt: moment('recorded_at'),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.userId] }),
    index('message_marks_user_idx').on(table.userId),
  ],
);

/** What was on whose screen: ranges of numbers, which do not overlap for one user and channel. */
export const messageReads = pgTable(
  'message_reads',
  {
    channelId: uuid('channel_id').notNull(),
    userId: uuid('user_id').notNull(),
    first: place('first_number').notNull(),
    last: place('last_number').notNull(),
    /** When it was first seen. */
    readAt: moment('read_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.channelId, table.userId, table.first] })],
);
