import { sql } from 'drizzle-orm';
import { boolean, index, jsonb, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { oneOf } from './one-of.ts';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/**
 * One-to-one calls. The names are those of then, so that a call stays readable when one of the two is gone. Their ids stay
 * too, without a foreign key: to empty them in months of calls would hold up the deletion of a user.
 */
export const calls = pgTable(
  'calls',
  {
    id: uuid('id').primaryKey(),
    callerId: uuid('caller_id'),
    callerName: text('caller_name').notNull(),
    calleeId: uuid('callee_id'),
    calleeName: text('callee_name').notNull(),
    /** The socket that called: a call whose end nobody stored is found by its being gone (RING12). */
    callerSocket: text('caller_socket').notNull(),
    /** The processes of the two sockets, as far as they are known: a call whose process died is over (RING12). */
    serverId: uuid('server_id'),
    calleeServerId: uuid('callee_server_id'),
    /** What other processes need of it while it goes on: see `knownCall`. */
    live: jsonb('live'),
    createdAt: moment('created_at').notNull(),
    acceptedAt: moment('accepted_at'),
    /** Null while it goes on. */
    endedAt: moment('ended_at'),
    reason: oneOf('reason', ['hung_up', 'rejected', 'busy', 'no_answer', 'offline', 'cancelled', 'lost'], 'lost'),
    /** What was said with a rejection. */
    rejection: oneOf('rejection', ['not_now', 'call_back', 'write_me'], null),
    /** It ended without an answer (RING9). */
    isMissed: boolean('is_missed').notNull().default(false),
    /** When the callee saw that. */
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

/** What happened to a call, each with the change that it tells of. Why it ended is in the call's own row. */
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
 * With whom a user was in touch by calls: whom they called, and whose call they took. Rows of deleted users go afterwards
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
