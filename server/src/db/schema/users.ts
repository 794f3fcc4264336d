import { sql } from 'drizzle-orm';
import { boolean, pgTable, text, timestamp, uniqueIndex, uuid } from 'drizzle-orm/pg-core';

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
    role: text('role', { enum: ['admin', 'member'] }).notNull(),
    mapRight: boolean('map_right').notNull().default(false),
    createdAt: timestamp('created_at', { withTimezone: true, precision: 3 }).notNull().defaultNow(),
  },
  (table) => [uniqueIndex('users_login_key').on(sql`lower(${table.identifier})`)],
);
