import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/**
 * The entries of the activity log. Names are kept with the entry and nothing is referenced, so entries stay readable after their user or
 * channel is deleted. A trigger (migration 0009) counts them in `activity_deltas`. Rows are deleted only through
 * `activity_horizon`.
 */
export const activities = pgTable(
  'activities',
  {
    id: uuid('id').primaryKey(),
    type: text('type').notNull(),
    /** Whether the type is beyond the specification's. */
    isAudit: boolean('is_audit').notNull().default(false),
    /** The user who did it; null: the server, or somebody who is not signed in. */
    userId: uuid('user_id'),
    userFirstName: text('user_first_name').notNull().default(''),
    userDisplayName: text('user_display_name').notNull().default(''),
    /** The user to whom it was done. */
    targetId: uuid('target_id'),
    targetName: text('target_name'),
    channelId: uuid('channel_id'),
    channelName: text('channel_name'),
    address: text('address'),
    /** Depends on the type: see activityDetails of the contract. */
    details: jsonb('details'),
    createdAt: moment('created_at').notNull(),
  },
  // Indexes by moment, user, target and channel include `is_audit`, which only the migration can declare (0011): then
  // counting what a filter finds reads no rows.
  (table) => [
    index('activities_created_idx').on(table.createdAt.desc(), table.id.desc()),
    index('activities_audit_idx').on(table.createdAt.desc(), table.id.desc()).where(sql`is_audit`),
    index('activities_type_idx').on(table.type, table.createdAt.desc(), table.id.desc()),
    index('activities_user_idx').on(table.userId, table.createdAt.desc(), table.id.desc()),
    index('activities_user_spec_idx').on(table.userId, table.createdAt.desc()).where(sql`not is_audit`),
    // Leads to somebody's last entry in one channel, however much they did elsewhere.
    index('activities_user_channel_idx')
      .on(table.userId, table.channelId, table.createdAt.desc())
      .where(sql`not is_audit and channel_id is not null`),
    index('activities_channel_idx').on(table.channelId, table.createdAt.desc(), table.id.desc()),
    index('activities_target_idx')
      .on(table.targetId, table.createdAt.desc(), table.id.desc())
      .where(sql`target_id is not null`),
  ],
);

/** The key that an entry is counted under. `key`: a type, or the id of a user or channel; empty for `all`. */
const counted = {
  kind: text('kind', { enum: ['all', 'type', 'user', 'channel'] }).notNull(),
  key: text('key').notNull(),
  /** In UTC. Users and channels have no hours. */
  span: text('span', { enum: ['month', 'day', 'hour'] }).notNull(),
  begins: moment('begins').notNull(),
};

/**
 * The number of entries in each month, day and hour, for each filter. Together with `activity_deltas` the counts are exact.
 * They are derived from `activities`, so no backup holds them.
 */
export const activityCounts = pgTable(
  'activity_counts',
  {
    ...counted,
    /** Counts entries of the specification's types; `audit` counts the others. */
    spec: integer('spec').notNull(),
    audit: integer('audit').notNull(),
  },
  // The index includes both numbers (0011), so adding up the days of years reads only a few pages.
  (table) => [primaryKey({ columns: [table.kind, table.key, table.span, table.begins] })],
);

/**
 * Changes that `activity_counts` and `activity_names` still have to add up; a trigger writes them with each entry.
 * Writers only append here, so none waits for another.
 */
export const activityDeltas = pgTable('activity_deltas', {
  hour: moment('hour').notNull(),
  type: text('type').notNull(),
  isAudit: boolean('is_audit').notNull(),
  userId: uuid('user_id'),
  userName: text('user_name').notNull(),
  targetId: uuid('target_id'),
  targetName: text('target_name'),
  channelId: uuid('channel_id'),
  channelName: text('channel_name'),
  n: integer('n').notNull(),
});

/** The names in entries, and their owners: a search for a text starts here. Derived, like the counts. */
export const activityNames = pgTable(
  'activity_names',
  {
    kind: text('kind', { enum: ['user', 'channel', 'target'] }).notNull(),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** Without case and accents; for a user the first name and the display name, one a line. */
    searchText: text('search_text').generatedAlwaysAs(sql`fold_text(name)`).notNull(),
    /** All sequences of three letters in `searchText`: a match has all of the searched text's. */
    grams: text('grams').array().generatedAlwaysAs(sql`text_grams(fold_text(name))`).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.id, table.name] }),
    index('activity_names_grams_idx').using('gin', table.grams),
  ],
);

/** At most one row: entries before this moment count as deleted, even while their rows are still there. */
export const activityHorizon = pgTable('activity_horizon', {
  id: integer('id').primaryKey(),
  before: moment('before').notNull(),
});
