import { sql } from 'drizzle-orm';
import {
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { oneOf } from './one-of.ts';
import { users } from './users.ts';

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

/** Imports that run, and those that ended a short while ago. */
export const imports = pgTable(
  'imports',
  {
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    importId: uuid('import_id').notNull(),
    kind: oneOf('kind', ['users', 'channels'], 'users').notNull(),
    /** `storing`: it can't be cancelled any more. `other`: one of a newer version. */
    state: oneOf('state', ['running', 'storing', 'stored', 'cancelled', 'failed', 'other'], 'other').notNull(),
    /** The process that does it. */
    processId: uuid('process_id').notNull(),
    /** Somebody wants it to stop: the process that does it looks here. */
    isUnwanted: boolean('is_unwanted').notNull().default(false),
    done: integer('done').notNull().default(0),
    total: integer('total').notNull().default(0),
    /** What became of each row, once they are stored. Not jsonb, which refuses some letters of a sheet. */
    outcome: json('outcome'),
    /** How much it keeps, in rows. */
    size: integer('size').notNull().default(0),
    startedAt: moment('started_at').notNull(),
    /** When its process gave a sign of life, by the database's clock. */
    seenAt: moment('seen_at').notNull().defaultNow(),
    endedAt: moment('ended_at'),
  },
  (table) => [
    primaryKey({ columns: [table.ownerId, table.importId] }),
    // One at a time for each of them (IMP16).
    uniqueIndex('imports_running_key').on(table.ownerId).where(sql`ended_at is null`),
    index('imports_ended_idx').on(table.endedAt),
  ],
);
