import { customType, pgTable, text, timestamp } from 'drizzle-orm/pg-core';

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
