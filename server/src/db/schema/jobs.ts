import { pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** Periodic jobs that one process does for all of them. All moments are the database's, which has one clock. */
export const jobs = pgTable('jobs', {
  name: text('name').primaryKey(),
  /** The process that did it last, or does it now. */
  owner: uuid('owner').notNull(),
  begunAt: moment('begun_at').notNull(),
  /** Until then no other process begins it. In the past: it is over, or its process died. */
  leaseUntil: moment('lease_until').notNull(),
});
