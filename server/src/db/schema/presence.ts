import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { channels } from './channels.ts';
import { guestSessions } from './guests.ts';
import { oneOf } from './one-of.ts';
import { users } from './users.ts';

/** The processes that serve sockets. One that has not been seen for a while is gone, and its sockets with it. */
export const servers = pgTable('servers', {
  id: uuid('id').primaryKey(),
  /** By the database's clock, which is one for all of them. */
  seenAt: timestamp('seen_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});

/** One row per live socket: who is connected where, for every process to see. */
export const userSockets = pgTable(
  'user_sockets',
  {
    socketId: text('socket_id').primaryKey(),
    /** Null for guests: what counts or lists users doesn't find them. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    guestId: uuid('guest_id').references(() => guestSessions.id, { onDelete: 'cascade' }),
    sessionId: uuid('session_id').notNull(),
    /** The process that holds the socket, and answers for its row. */
    serverId: uuid('server_id')
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    channelId: uuid('channel_id').references(() => channels.id, { onDelete: 'set null' }),
    joinedAt: timestamp('joined_at', { withTimezone: true, precision: 3 }),
    /** The picture shown by who is in the video view; null for all others. */
    video: oneOf('video', ['off', 'camera', 'screen'], 'off'),
  },
  (table) => [
    check('user_sockets_owner', sql`num_nonnulls(${table.userId}, ${table.guestId}) = 1`),
    index('user_sockets_user_idx').on(table.userId),
    index('user_sockets_guest_idx').on(table.guestId),
    index('user_sockets_channel_idx').on(table.channelId),
    index('user_sockets_server_idx').on(table.serverId),
  ],
);
