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
    /** When the user last entered their own password in this session; null: never. */
    verifiedAt: timestamp('verified_at', { withTimezone: true, precision: 3 }),
    /** The user asked not to be asked again while that proof is valid (AUTH14). */
    isProofKept: boolean('is_proof_kept').notNull().default(false),
    /** The browser that the user signed in with, as it named itself; null when it is unknown. */
    browser: text('browser'),
    system: text('system'),
  },
  (table) => [index('sessions_user_idx').on(table.userId), index('sessions_expiry_idx').on(table.expiresAt)],
);
