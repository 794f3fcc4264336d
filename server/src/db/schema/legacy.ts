import { index, pgTable, text, timestamp, uuid } from 'drizzle-orm/pg-core';
import { oneOf } from './one-of.ts';
import { users } from './users.ts';

/** Tables for the earlier product's calls; nothing in this product fills them yet. */

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const account = (name: string) => uuid(name).references(() => users.id, { onDelete: 'cascade' });

export const materialTypes = pgTable('material_types', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull().unique('material_types_name_key'),
});

export const devices = pgTable(
  'devices',
  {
    id: uuid('id').primaryKey(),
    displayName: text('display_name').notNull(),
    /** `aa:bb:cc:dd:ee:ff` */
    macAddress: text('mac_address').notNull().unique('devices_mac_key'),
    typeId: uuid('type_id').references(() => materialTypes.id, { onDelete: 'set null' }),
    manufacturer: text('manufacturer').notNull().default(''),
    productRef: text('product_ref').notNull().default(''),
    /** The owner; null: it belongs to nobody in particular. */
    ownerId: uuid('owner_id').references(() => users.id, { onDelete: 'set null' }),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('devices_type_idx').on(table.typeId), index('devices_owner_idx').on(table.ownerId)],
);

export const invitations = pgTable(
  'invitations',
  {
    id: uuid('id').primaryKey(),
    fromId: account('from_id').notNull(),
    toId: account('to_id').notNull(),
    state: oneOf('state', ['pending', 'accepted', 'declined'], 'pending').notNull().default('pending'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('invitations_from_idx').on(table.fromId, table.createdAt),
    index('invitations_to_idx').on(table.toId, table.createdAt),
  ],
);
