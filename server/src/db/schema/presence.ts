import { index, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { channels } from './channels.ts';
import { users } from './users.ts';

/** One row per live socket. The truth about who is connected where, for every process. */
export const userSockets = pgTable(
  'user_sockets',
  {
    socketId: text('socket_id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    sessionId: uuid('session_id').notNull(),
    /** The process that holds the socket: each sweeps its own. */
    serverId: uuid('server_id').notNull(),
    channelId: uuid('channel_id').references(() => channels.id, { onDelete: 'set null' }),
    joinedAt: timestamp('joined_at', { withTimezone: true, precision: 3 }),
    seenAt: timestamp('seen_at', { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [index('user_sockets_user_idx').on(table.userId), index('user_sockets_channel_idx').on(table.channelId)],
);
