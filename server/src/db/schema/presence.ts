import { sql } from 'drizzle-orm';
import { boolean, check, index, integer, pgTable, text, timestamp, unique, uuid } from 'drizzle-orm/pg-core';
import { channels, guestSessions } from './channels.ts';
import { oneOf } from './one-of.ts';
import { users } from './users.ts';

/** The processes that serve sockets. A process that has not been seen for a while is gone, with its sockets. */
export const servers = pgTable('servers', {
  id: uuid('id').primaryKey(),
  /** By the database's clock, which all processes share. */
  seenAt: timestamp('seen_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});

/**
 * One row for each room that a participant is in, or one row without a room. It shows every process who is connected and where. The
 * process that holds the participant decides which rows there are.
 */
export const userSockets = pgTable(
  'user_sockets',
  {
    /** The participant's id: the id of the socket by which it first connected. */
    socketId: text('socket_id').notNull(),
    /** Null for guests, so counts and lists of users leave them out. */
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    guestId: uuid('guest_id').references(() => guestSessions.id, { onDelete: 'cascade' }),
    sessionId: uuid('session_id').notNull(),
    /** The process that holds the participant and keeps its rows right. */
    serverId: uuid('server_id')
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    channelId: uuid('channel_id').references(() => channels.id, { onDelete: 'set null' }),
    joinedAt: timestamp('joined_at', { withTimezone: true, precision: 3 }),
    /** The picture that a participant of the video view shows; null for all others. */
    video: oneOf('video', ['off', 'camera', 'screen'], 'off'),
    /** How long it had been talking when its process stopped, ms; null: it wasn't. The next process logs the talk or goes on with it. */
    talkMs: integer('talk_ms'),
    /** Whether the room was told that the participant is silent, or that its link is lost. */
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
