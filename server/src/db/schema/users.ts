import { sql } from 'drizzle-orm';
import { boolean, customType, index, integer, pgTable, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { oneOf } from './one-of.ts';

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

const bytes = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: (stored) => Buffer.from(stored),
});

export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    /** The login as typed; unique without regard to case. */
    identifier: text('identifier').notNull(),
    firstName: text('first_name').notNull(),
    lastName: text('last_name').notNull(),
    pseudo: text('pseudo').notNull().default(''),
    phoneNumber: text('phone_number').notNull().default(''),
    passwordHash: text('password_hash').notNull(),
    role: oneOf('role', ['admin', 'member'], 'member').notNull(),
    mapRight: boolean('map_right').notNull().default(false),
    createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
    /** Counts the changes: an edit made from an older version is refused. */
    version: integer('version').notNull().default(1),
    /** The text that filters search, without case and accents. */
    searchText: text('search_text')
      .generatedAlwaysAs(sql`fold_text(first_name || E'\\n' || last_name || E'\\n' || identifier || E'\\n' || pseudo)`)
      .notNull(),
    /** Identifies the photo; null when there is none. A new photo has a new id, so that no cache shows the old one. */
    photoId: uuid('photo_id'),
  },
  (table) => [
    uniqueIndex('users_login_key').on(sql`lower(${table.identifier})`),
    index('users_created_idx').on(table.createdAt),
  ],
);

/** Photos are apart from accounts, so that reading accounts doesn't read them. */
export const userPhotos = pgTable(
  'user_photos',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    photoId: uuid('photo_id').notNull(),
    /** JPEG: a photo from before every image became WebP. */
    type: oneOf('type', ['image/jpeg', 'image/webp'], 'image/webp').notNull().default('image/jpeg'),
    /** Older versions read this column. The next release removes it. */
    image: bytes('image').notNull(),
    /** The photo whose copy is in the store of files. */
    storedId: uuid('stored_id'),
  },
  (table) => [uniqueIndex('user_photos_photo_key').on(table.photoId)],
);
