import { index, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { channels } from './channels.ts';
import { users } from './users.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

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
