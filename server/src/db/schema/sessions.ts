import { boolean, index, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { users } from './users.ts';

export const sessions = pgTable(
  'sessions',
  {
    id: uuid('id').primaryKey(),
    /** SHA-256 of the token, hexadecimal: a stolen table opens nothing. */
    tokenHash: text('token_hash').notNull().unique(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    remember: boolean('remember').notNull(),
    createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
    expiresAt: timestamp('expires_at', { withTimezone: true, precision: 3 }).notNull(),
    /** When the user last gave their own password within this session; null when they have not. */
    verifiedAt: timestamp('verified_at', { withTimezone: true, precision: 3 }),
    /** They asked not to be asked again while that proof is valid (AUTH14). */
    isProofKept: boolean('is_proof_kept').notNull().default(false),
    /** What they signed in with, as far as it says; null when it is none that is known. */
    browser: text('browser'),
    system: text('system'),
  },
  (table) => [index('sessions_user_idx').on(table.userId), index('sessions_expiry_idx').on(table.expiresAt)],
);
