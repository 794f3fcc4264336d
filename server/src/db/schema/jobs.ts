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

/** Periodic jobs that one process does for all. All moments come from the database's clock, which they share. */
export const jobs = pgTable('jobs', {
  name: text('name').primaryKey(),
  /** The process that last did it, or is doing it. */
  owner: uuid('owner').notNull(),
  begunAt: moment('begun_at').notNull(),
  /** No other process begins the job before this moment. In the past: the job is over, or its process died. */
  leaseUntil: moment('lease_until').notNull(),
});

/** Running imports, and those that ended a short while ago. */
export const imports = pgTable(
  'imports',
  {
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    importId: uuid('import_id').notNull(),
    kind: oneOf('kind', ['users', 'channels'], 'users').notNull(),
    /** `storing`: the import can't be cancelled any more. `other`: a newer version's state. */
    state: oneOf('state', ['running', 'storing', 'stored', 'cancelled', 'failed', 'other'], 'other').notNull(),
    /** The process that runs the import. */
    processId: uuid('process_id').notNull(),
    /** Somebody cancelled it: the process that runs the import checks this. */
    isUnwanted: boolean('is_unwanted').notNull().default(false),
    done: integer('done').notNull().default(0),
    total: integer('total').notNull().default(0),
    /** The result of each row, once they are stored. Not jsonb, which rejects some characters of a sheet. */
    outcome: json('outcome'),
    /** The size of what it keeps, in rows. */
    size: integer('size').notNull().default(0),
    startedAt: moment('started_at').notNull(),
    /** The last sign of life from its process, by the database's clock. */
    seenAt: moment('seen_at').notNull().defaultNow(),
    endedAt: moment('ended_at'),
  },
  (table) => [
    primaryKey({ columns: [table.ownerId, table.importId] }),
    // Each user runs one import at a time (IMP16).
    uniqueIndex('imports_running_key').on(table.ownerId).where(sql`ended_at is null`),
    index('imports_ended_idx').on(table.endedAt),
  ],
);
