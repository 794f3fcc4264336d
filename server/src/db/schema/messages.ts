import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, timestamp, unique, uuid } from 'drizzle-orm/pg-core';
import { channels } from './channels.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
/** A message's number, or a mark of one. */
const messageNumber = (name: string) => bigint(name, { mode: 'number' });

/**
 * The highest number given in a channel. Each writer of a message increments it first: the row stays locked until the
 * commit, so numbers have no gaps and follow the order of the commits.
 */
export const messageCounters = pgTable('message_counters', {
  channelId: uuid('channel_id')
    .primaryKey()
    .references(() => channels.id, { onDelete: 'cascade' }),
  newest: messageNumber('newest').notNull(),
});

/**
 * Messages. The sender's name is kept with the message, and neither users nor channels are referenced: messages stay when
 * those are deleted. A deleted message keeps its row without its text, so that its number and its sender's id for it are
 * never given again.
 */
export const messages = pgTable(
  'messages',
  {
    id: uuid('id').primaryKey(),
    channelId: uuid('channel_id').notNull(),
    number: messageNumber('number').notNull(),
    userId: uuid('user_id').notNull(),
    userDisplayName: text('user_display_name').notNull(),
    text: text('text').notNull(),
    /** The sender's own id for the message. */
    clientId: uuid('client_id').notNull(),
    createdAt: moment('created_at').notNull(),
    deletedAt: moment('deleted_at'),
    /** The text that searches look at: without case and accents, on one line. */
    searchText: text('search_text').generatedAlwaysAs(sql`translate(fold_text(text), E'\\n', ' ')`).notNull(),
  },
  (table) => [
    unique('messages_place_key').on(table.channelId, table.number),
    unique('messages_client_key').on(table.userId, table.clientId),
    // Finds messages that are older than the retention.
    index('messages_created_idx').on(table.createdAt),
  ],
);

/** The images of messages. Their files are in DATA_DIR/files/messages. */
export const messageFiles = pgTable('message_files', {
  messageId: uuid('message_id')
    .primaryKey()
    .references(() => messages.id, { onDelete: 'cascade' }),
  /** 128 random bits, hexadecimal: the files' name, without their endings. */
  storedName: text('stored_name').notNull().unique('message_files_name_key'),
  /** The name on the sender's device, with the ending of the stored type. */
  fileName: text('file_name').notNull(),
  /** Pixels. */
  width: integer('width').notNull(),
  height: integer('height').notNull(),
  bytes: integer('bytes').notNull(),
});

/**
 * How far a user has read in a channel. Every user with a row in `message_reads` has one here. Neither table has a foreign
 * key: a cascade would slow down the deletion of a user or channel. Their rows are removed later (`erasures`).
 */
export const messageMarks = pgTable(
  'message_marks',
  {
    userId: uuid('user_id').notNull(),
    channelId: uuid('channel_id').notNull(),
    readUpTo: messageNumber('read_up_to').notNull(),
    /** When the last activity message_read was recorded. */
    recordedAt: moment('recorded_at'),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.userId] }),
    index('message_marks_user_idx').on(table.userId),
  ],
);

/** Which numbers each user saw: ranges that don't overlap for one user and channel. */
export const messageReads = pgTable(
  'message_reads',
  {
    channelId: uuid('channel_id').notNull(),
    userId: uuid('user_id').notNull(),
    first: messageNumber('first_number').notNull(),
    last: messageNumber('last_number').notNull(),
    /** When the range was first seen. */
    readAt: moment('read_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.channelId, table.userId, table.first] })],
);
