import { index, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { channels } from './channels.ts';
import { users } from './users.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Links by which guests enter a channel's room. One goes with its channel, and with the account that made it (GUEST5). */
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
    /** When somebody last entered by it. */
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    index('guest_links_channel_idx').on(table.channelId, table.createdAt),
    index('guest_links_maker_idx').on(table.createdBy),
    index('guest_links_expiry_idx').on(table.expiresAt),
  ],
);

/** Guests: one visit each. A guest without a socket for GUEST_AWAY_MS is none any more. */
export const guestSessions = pgTable(
  'guest_sessions',
  {
    id: uuid('id').primaryKey(),
    linkId: uuid('link_id')
      .notNull()
      .references(() => guestLinks.id, { onDelete: 'cascade' }),
    /** As of a link. */
    tokenHash: text('token_hash').notNull().unique('guest_sessions_token_key'),
    /** What the guest wants to be called. */
    name: text('name').notNull(),
    createdAt: moment('created_at').notNull(),
    /** Until when a server vouches for a socket of theirs, or when they came. */
    seenAt: moment('seen_at').notNull(),
  },
  (table) => [index('guest_sessions_link_idx').on(table.linkId)],
);
