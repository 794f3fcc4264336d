import { bigserial, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/**
 * Facts that processes tell each other. A row is written in the same transaction as its change, in the order of the commits, and
 * deleted after an hour.
 */
export const outbox = pgTable('outbox', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  /** The process that wrote the row; it has told its own sockets already. */
  origin: uuid('origin').notNull(),
  fact: text('fact').notNull(),
  news: jsonb('news').notNull(),
  at: timestamp('at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});
