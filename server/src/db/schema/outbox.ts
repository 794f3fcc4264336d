import { bigserial, jsonb, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

/**
 * Facts that the processes tell each other. A row is written in the transaction of what it tells, in the order of the commits, and
 * deleted after an hour.
 */
export const outbox = pgTable('outbox', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  /** The process that told its own sockets already. */
  origin: uuid('origin').notNull(),
  fact: text('fact').notNull(),
  news: jsonb('news').notNull(),
  at: timestamp('at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});
