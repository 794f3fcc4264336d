import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, text, timestamp, unique, uuid } from 'drizzle-orm/pg-core';
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

/**
 * One row for each room that a participant is in, or one without a room: who is connected where, for every process to see. The
 * process that holds the participant decides which rows there are.
 */
export const userSockets = pgTable(
  'user_sockets',
  {
    /** The participant's id: that of the socket by which it first connected. */
    socketId: text('socket_id').notNull(),
    /** Null for guests: what counts or lists users doesn't find them. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    guestId: uuid('guest_id').references(() => guestSessions.id, { onDelete: 'cascade' }),
    sessionId: uuid('session_id').notNull(),
    /** The process that holds the participant, and answers for its rows. */
    serverId: uuid('server_id')
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    channelId: uuid('channel_id').references(() => channels.id, { onDelete: 'set null' }),
    joinedAt: timestamp('joined_at', { withTimezone: true, precision: 3 }),
    /** The picture shown by who is in the video view; null for all others. */
    video: oneOf('video', ['off', 'camera', 'screen'], 'off'),
    /** How long it had talked there when its process stopped, ms; null: it didn't. The next process puts down the talk, or goes on with it. */
    talkMs: integer('talk_ms'),
    /** The room was told that it is silent, or that its link is lost. */
    isSilent: boolean('is_silent').notNull().default(false),
  },
  (table) => [
    check('user_sockets_owner', sql`num_nonnulls(${table.userId}, ${table.guestId}) = 1`),
    unique('user_sockets_room_key').on(table.socketId, table.channelId),
    index('user_sockets_user_idx').on(table.userId),
    index('user_sockets_guest_idx').on(table.guestId),
    index('user_sockets_channel_idx').on(table.channelId),
    index('user_sockets_server_idx').on(table.serverId),
  ],
);
