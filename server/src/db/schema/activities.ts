import { sql } from 'drizzle-orm';
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, timestamp, uuid } from 'drizzle-orm/pg-core';

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/**
 * What happened. Names are kept with the entry, and nothing is referenced: entries stay readable after their
 * user or channel is deleted. A trigger (migration 0009) counts
 * them in `activity_deltas`. Rows go only by `activity_horizon`.
 */
export const activities = pgTable(
  'activities',
  {
    id: uuid('id').primaryKey(),
    type: text('type').notNull(),
    /** Of a type beyond the specification's. */
    isAudit: boolean('is_audit').notNull().default(false),
    /** Who did it; null: the server, or somebody who is not signed in. */
    userId: uuid('user_id'),
    userFirstName: text('user_first_name').notNull().default(''),
    userDisplayName: text('user_display_name').notNull().default(''),
    /** To whom it was done. */
    targetId: uuid('target_id'),
    targetName: text('target_name'),
    channelId: uuid('channel_id'),
    channelName: text('channel_name'),
    address: text('address'),
    /** By the type: ACTIVITY_DETAILS of the contract. */
    details: jsonb('details'),
    createdAt: moment('created_at').notNull(),
  },
  // Those of moments, users, targets and channels include `is_audit`, which only the migration can say (0011): what a
  // filter finds is counted without reading the rows.
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

/** What an entry is counted under. `key`: a type, or the id of a user or channel; empty for `all`. */
const counted = {
  kind: text('kind', { enum: ['all', 'type', 'user', 'channel'] }).notNull(),
  key: text('key').notNull(),
  /** Of UTC. No hours of users and channels. */
  span: text('span', { enum: ['month', 'day', 'hour'] }).notNull(),
  begins: moment('begins').notNull(),
};

/**
 * How many entries there are in each month, day and hour, by what they can be filtered by: together with `activity_deltas` they
 * are exact. Worked out from `activities`, so that no backup holds them.
 */
export const activityCounts = pgTable(
  'activity_counts',
  {
    ...counted,
    /** Of the specification's types, and of the others. */
    spec: integer('spec').notNull(),
    audit: integer('audit').notNull(),
  },
  // Includes both numbers (0011), so that years of days are added up from a few pages.
  (table) => [primaryKey({ columns: [table.kind, table.key, table.span, table.begins] })],
);

/**
 * What is still to be added to `activity_counts` and `activity_names`, written by a trigger with each entry. Writers only
 * append here, so that none of them waits for another.
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

/** The names that occur in entries, and whose: a text is looked for here first. Worked out, like the counts. */
export const activityNames = pgTable(
  'activity_names',
  {
    kind: text('kind', { enum: ['user', 'channel', 'target'] }).notNull(),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** Without case and accents; of a user the first and the display name, one a line. */
    searchText: text('search_text').generatedAlwaysAs(sql`fold_text(name)`).notNull(),
    /** Each three letters in a row of `searchText`: what holds a text has all of the text's own. */
    grams: text('grams').array().generatedAlwaysAs(sql`text_grams(fold_text(name))`).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.kind, table.id, table.name] }),
    index('activity_names_grams_idx').using('gin', table.grams),
  ],
);

/** At most one row: entries from before this moment are deleted, whether or not their rows are gone already. */
export const activityHorizon = pgTable('activity_horizon', {
  id: integer('id').primaryKey(),
  before: moment('before').notNull(),
});
