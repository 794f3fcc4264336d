import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { oneOf } from './one-of.ts';
import { users } from './users.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

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

/** Links by which guests enter a channel's room. A link is deleted with its channel, and with the account that made it (GUEST5). */
export const guestLinks = pgTable(
  'guest_links',
  {
    id: uuid('id').primaryKey(),
    channelId: uuid('channel_id')
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    /** SHA-256 of the token, hexadecimal: a stolen table opens nothing. */
    tokenHash: text('token_hash').notNull().unique('guest_links_token_key'),
    createdBy: uuid('created_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    withdrawnAt: moment('withdrawn_at'),
    /** When somebody last used it to enter. */
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    index('guest_links_channel_idx').on(table.channelId, table.createdAt),
    index('guest_links_maker_idx').on(table.createdBy),
    index('guest_links_expiry_idx').on(table.expiresAt),
  ],
);

/** Guests: one visit each. A guest without a socket for GUEST_AWAY_MS is no guest any more. */
export const guestSessions = pgTable(
  'guest_sessions',
  {
    id: uuid('id').primaryKey(),
    linkId: uuid('link_id')
      .notNull()
      .references(() => guestLinks.id, { onDelete: 'cascade' }),
    /** SHA-256 of the token, like a link's. */
    tokenHash: text('token_hash').notNull().unique('guest_sessions_token_key'),
    /** The name that the guest chose. */
    name: text('name').notNull(),
    createdAt: moment('created_at').notNull(),
    /** Until when a server vouches for the guest's socket, or when the guest came. */
    seenAt: moment('seen_at').notNull(),
  },
  (table) => [index('guest_sessions_link_idx').on(table.linkId)],
);
