import { sql } from 'drizzle-orm';
import { boolean, index, jsonb, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { oneOf } from './one-of.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/**
 * One-to-one calls. Names are kept as they were, so a call stays readable when one of the two is deleted. Their ids stay
 * too, without a foreign key: clearing them in months of calls would slow down the deletion of a user.
 */
export const calls = pgTable(
  'calls',
  {
    id: uuid('id').primaryKey(),
    callerId: uuid('caller_id'),
    callerName: text('caller_name').notNull(),
    calleeId: uuid('callee_id'),
    calleeName: text('callee_name').notNull(),
    /** The caller's socket. If it is gone, a call without a stored end is over (RING12). */
    callerSocket: text('caller_socket').notNull(),
    /** The processes of the two sockets, if known: a call whose process died is over (RING12). */
    serverId: uuid('server_id'),
    calleeServerId: uuid('callee_server_id'),
    /** Data that other processes need about a call under way: see `knownCall`. */
    live: jsonb('live'),
    createdAt: moment('created_at').notNull(),
    acceptedAt: moment('accepted_at'),
    /** Null while the call goes on. */
    endedAt: moment('ended_at'),
    reason: oneOf('reason', ['hung_up', 'rejected', 'busy', 'no_answer', 'offline', 'cancelled', 'lost'], 'lost'),
    /** The reply that came with a rejection. */
    rejection: oneOf('rejection', ['not_now', 'call_back', 'write_me'], null),
    /** The call ended without an answer (RING9). */
    isMissed: boolean('is_missed').notNull().default(false),
    /** When the callee saw that they missed it. */
    seenAt: moment('seen_at'),
  },
  (table) => [
    index('calls_caller_idx').on(table.callerId, table.createdAt),
    index('calls_callee_idx').on(table.calleeId, table.createdAt),
    index('calls_unseen_idx').on(table.calleeId, table.createdAt).where(sql`is_missed and seen_at is null`),
    index('calls_open_idx').on(table.createdAt).where(sql`ended_at is null`),
    index('calls_created_idx').on(table.createdAt),
  ],
);

/** Events of a call, each stored with the change itself. The call's own row says why it ended. */
export const callEvents = pgTable(
  'call_events',
  {
    id: uuid('id').primaryKey(),
    callId: uuid('call_id')
      .notNull()
      .references(() => calls.id, { onDelete: 'cascade' }),
    type: text('type', { enum: ['ring', 'accept', 'end'] }).notNull(),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('call_events_call_idx').on(table.callId)],
);

/**
 * People that a user had calls with: those they called, and those whose call they took. Rows of deleted users are removed later
 * (`erasures`).
 */
export const contacts = pgTable(
  'contacts',
  {
    userId: uuid('user_id').notNull(),
    contactId: uuid('contact_id').notNull(),
    createdAt: moment('created_at').notNull(),
    lastCallAt: moment('last_call_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.contactId] }),
    index('contacts_contact_idx').on(table.contactId),
  ],
);
