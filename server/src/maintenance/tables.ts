import type pg from 'pg';
import { readMigrations } from '../db/migrations.ts';
import { MaintenanceError } from './connect.ts';

/** A table and its columns, without generated ones. */
export interface Table {
  name: string;
  columns: string[];
}

/** A table and its columns as COPY names them. */
export const copied = (client: pg.Client, { name, columns }: Table): string =>
  `${client.escapeIdentifier(name)} (${columns.map((column) => client.escapeIdentifier(column)).join(', ')})`;

/** Requires tables of this version: those of other versions can't be queried. @throws MaintenanceError */
export async function requireOurTables(client: pg.Client): Promise<void> {
  const known = readMigrations();
  const { rows } = await client.query<{ there: string | null }>(
    `select to_regclass('drizzle.__drizzle_migrations')::text as there`,
  );
  const made =
    rows[0]?.there == null
      ? 0
      : (await client.query<{ n: number }>('select count(*)::int as n from drizzle.__drizzle_migrations')).rows[0]?.n;
  if (made === known.length) return;
  throw new MaintenanceError(
    `The tables have been through ${made} migrations, and this version has ${known.length}. Start this version once.`,
  );
}

/**
 * Tables of state that lives only while the server does: live sockets and servers' leases, floors, sessions of users and guests,
 * running jobs and imports, and facts between processes.
 */
const PASSING = [
  ...['user_sockets', 'servers', 'sessions', 'guest_sessions', 'jobs', 'imports'],
  ...['floors', 'floor_epochs', 'floor_talks', 'outbox'],
];
/** Tables derived from the activity log: its trigger fills them again when the log is restored. */
const DERIVED = ['activity_counts', 'activity_deltas', 'activity_names'];

/** All tables that a backup holds; each comes after the tables that its rows refer to. */
export const listTables = (client: pg.Client): Promise<Table[]> => listTablesBut(client, [...PASSING, ...DERIVED]);

/** All tables; each comes after the tables that its rows refer to. */
export const listEveryTable = (client: pg.Client): Promise<Table[]> => listTablesBut(client, []);

async function listTablesBut(client: pg.Client, left: readonly string[]): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> all($1)
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`,
    [left],
  );
  const references = await client.query<{ from: string; to: string }>(
    `select conrelid::regclass::text as from, confrelid::regclass::text as to
    from pg_constraint where contype = 'f' and conrelid <> confrelid`,
  );
  return inOrder(rows, references.rows);
}

function inOrder(tables: readonly Table[], references: readonly { from: string; to: string }[]): Table[] {
  const ordered: Table[] = [];
  let rest = [...tables];
  while (rest.length > 0) {
    const waiting = new Set(rest.map(({ name }) => name));
    const ready = rest.filter(({ name }) => !references.some(({ from, to }) => from === name && waiting.has(to)));
    if (ready.length === 0) throw new Error('Tables refer to each other in a circle');
    ordered.push(...ready);
    rest = rest.filter((table) => !ready.includes(table));
  }
  return ordered;
}
