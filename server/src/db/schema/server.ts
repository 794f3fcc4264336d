import { sql } from 'drizzle-orm';
import {
  bigserial,
  boolean,
  customType,
  index,
  integer,
  json,
  jsonb,
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

/**
 * Deleted users and channels whose history is not deleted yet. A trigger (migration 0014) adds a row for each, whoever
 * deletes them; the server removes the row once it has deleted the history.
 */
export const erasures = pgTable('erasures', {
  ownerId: uuid('owner_id').primaryKey(),
  kind: text('kind', { enum: ['user', 'channel'] }).notNull(),
  deletedAt: timestamp('deleted_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});

const bytes = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: (stored) => Buffer.from(stored),
});

/** Keys that this installation made for itself, by purpose. They survive restarts and are in its backups. */
export const secrets = pgTable('secrets', {
  name: text('name').primaryKey(),
  key: bytes('key').notNull(),
  createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
});
