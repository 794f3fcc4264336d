import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { PROCESSES_LOCK } from '../db/locks.ts';
import { migrateTables, processName, readMigrations } from '../db/migrations.ts';
import {
  type HalfMoved,
  markHalfMoved,
  markMovedAway,
  markNoneWhole,
  markWhole,
  readMarks,
  unmarkHalfMoved,
  unmarkMovedAway,
} from '../db/moved-database.ts';
import { hasRestoredFiles } from '../db/restored-files.ts';
import {
  type Installation,
  MaintenanceError,
  requireDatabase,
  requireNobodyElse,
  withClient,
  withOwnDatabase,
} from './connect.ts';
import { copied, listEveryTable, requireOurTables, type Table } from './tables.ts';

/** The oldest version that README and docs promise. */
const OLDEST_VERSION = 15;
/** How often progress on a large table is reported. */
const SAY_EVERY_MS = 5_000;
const MEGABYTE = 1_000_000;

/**
 * Makes both sides write values as the same text, without time limits. The operator may have set other defaults for this role.
 */
const SETTINGS = `set search_path = public; set client_encoding = 'UTF8'; set datestyle = 'ISO'; set intervalstyle = 'postgres';
  set timezone = 'UTC'; set extra_float_digits = 1; set bytea_output = 'hex'; set statement_timeout = 0; set lock_timeout = 0;
  set idle_in_transaction_session_timeout = 0`;

/** Reports progress, one line at a time. */
export type Say = (line: string) => void;

export interface Moved {
  tables: number;
  rows: number;
  /** Address of the database that now holds everything, without the password. */
  address: string;
}

/**
 * Moves an installation into another database, which is empty or holds a part of the same move. The old database doesn't change, except
 * for a mark at the end that keeps servers off it. Until everything is copied and compared, a mark in the new database keeps servers
 * off it, too. If a move is killed, the database undoes the table that was under way.
 * @param url of the database to move to, as `DATABASE_URL` has it
 * @throws MaintenanceError; DataInUseError while the server runs
 */
export async function moveDatabase(installation: Installation, url: string, say: Say): Promise<Moved> {
  const address = withoutPassword(url);
  requireDatabase(installation);
  return withOwnDatabase(installation, async (source) => {
    await requireNobodyElse(source);
    if (await hasRestoredFiles(source)) {
      throw new MaintenanceError('A restore was interrupted. Start Pressel once, so that it ends, and stop it again.');
    }
    await requireOurTables(source);
    await source.query(SETTINGS);
    return connectTo(url, (target) => fillTarget(source, target, { address, say }));
  });
}

/** Removes the mark that a move left in the database it moved away from. @throws MaintenanceError when there is none */
export async function moveBack(installation: Installation): Promise<void> {
  requireDatabase(installation);
  await withOwnDatabase(installation, async (client) => {
    await requireNobodyElse(client);
    if ((await readMarks(client)).away === null) {
      throw new MaintenanceError('Nothing was moved away from this database.');
    }
    await unmarkMovedAway(client);
  });
}

/** @throws MaintenanceError when the text is not a PostgreSQL address */
export function withoutPassword(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:$/u.test(url.protocol)) {
    throw new MaintenanceError('The address must be postgres://USER:PASSWORD@HOST:PORT/DATABASE.');
  }
  if (url.password !== '') url.password = '***';
  if (url.searchParams.has('password')) url.searchParams.set('password', '***');
  return url.href;
}

async function connectTo<T>(url: string, work: (target: pg.Client) => Promise<T>): Promise<T> {
  let isOpen = false;
  try {
    // Notices a server that disappears silently.
    const patience = { keepAlive: true, keepAliveInitialDelayMillis: 10_000, connectionTimeoutMillis: 10_000 };
    // The connection holds the processes' lock just as a server of this version does.
    const application_name = processName(readMigrations().length);
    return await withClient({ connectionString: url, ...patience, application_name }, async (target) => {
      isOpen = true;
      return work(target);
    });
  } catch (error) {
    if (error instanceof MaintenanceError || !(error instanceof Error)) throw error;
    // For a name with several addresses, the driver's error has only a code.
    const said = error.message || ('code' in error ? String(error.code) : error.name);
    throw new MaintenanceError(
      isOpen
        ? `The move stopped: ${said}. When that is mended, run the same command again: it goes on.`
        : `The database to move to can't be opened: ${said}. Correct the address, or mend that database.`,
      { cause: error },
    );
  }
}

interface MoveDeps {
  address: string;
  say: Say;
}

async function fillTarget(source: pg.Client, target: pg.Client, { address, say }: MoveDeps): Promise<Moved> {
  await requireFit(target);
  await target.query(SETTINGS);
  const identity = await identityOf(source);
  const half = await beginOrGoOn(source, target, identity);
  if (half === 'moved already') return { ...(await sizeOf(source)), address };
  await migrateTables(target, drizzle(target));
  const tables = await listEveryTable(source);
  if (!tables.some(({ name }) => name === 'users'))
    throw new MaintenanceError('The schema public has no tables of ours.');

  const whole = await stillWhole(source, target, { tables, half, say });
  for (const table of tables) if (!whole.has(table.name)) await copyTable(source, target, table, say);
  await copySequences(source, target);
  say('Comparing both sides.');
  const different = await differencesOf(source, target, tables);
  if (different.length > 0) {
    await markNoneWhole(target);
    throw new MaintenanceError(
      `Both sides differ in ${different.join(', ')}. Run the same command again: it begins anew.`,
    );
  }
  // Updates the planner's statistics, which otherwise come only minutes later.
  await target.query('analyze');
  // With this order no server starts on either side in between, and the same command finishes an interrupted move.
  await markMovedAway(source, address);
  await unmarkHalfMoved(target);
  return { ...(await sizeOf(source)), address };
}

/** Requires that a database can hold an installation. @throws MaintenanceError */
async function requireFit(target: pg.Client): Promise<void> {
  const { rows } = await target.query<Fitness & { taken: boolean }>(
    `select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding,
      pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as "isReadOnly", current_user as role, current_database() as name,
      has_database_privilege(current_database(), 'create')
        and coalesce(has_schema_privilege(to_regnamespace('public'), 'create'), false) as "mayCreate",
      pg_try_advisory_lock($1) as taken`,
    [PROCESSES_LOCK],
  );
  const [found] = rows;
  if (found === undefined) return;
  const unfit = unfitness(found);
  if (unfit !== null) throw new MaintenanceError(unfit);
  if (!found.taken) {
    throw new MaintenanceError('A Pressel works on the database to move to, or it is the one to move from.');
  }
}

interface Fitness {
  version: number;
  encoding: string;
  isReadOnly: boolean;
  role: string;
  name: string;
  mayCreate: boolean;
}

/** Says in a sentence why a database can't hold an installation; null when it can. */
export function unfitness({ version, encoding, isReadOnly, role, name, mayCreate }: Fitness): string | null {
  if (version < OLDEST_VERSION)
    return `The database to move to is PostgreSQL ${version}: take ${OLDEST_VERSION} or newer.`;
  if (isReadOnly) return 'The database to move to takes no changes: take the primary server, not a replica.';
  if (encoding !== 'UTF8') return `The database to move to is in ${encoding}: make one in UTF8.`;
  if (!mayCreate) {
    return `The role ${role} may make no tables in the database ${name}: make it the owner (alter database ${name} owner to ${role}).`;
  }
  return null;
}

/** Identifies an installation by the keys that it made for itself at its first start. */
async function identityOf(source: pg.Client): Promise<string> {
  const { rows } = await source.query<{ id: string | null }>(
    `select encode(sha256(string_agg(key, '' order by name)), 'hex') as id from secrets`,
  );
  return rows[0]?.id ?? 'never started';
}

/** @returns how far the move has got. @throws MaintenanceError when the target holds anything else */
async function beginOrGoOn(
  source: pg.Client,
  target: pg.Client,
  identity: string,
): Promise<HalfMoved | 'moved already'> {
  const { away } = await readMarks(source);
  const { half } = await readMarks(target);
  if (half !== null) {
    if (half.source === identity) return half;
    throw new MaintenanceError('The database to move to holds a part of another installation. Take an empty one.');
  }
  if (away !== null) {
    if ((await identityOf(target).catch(() => null)) === identity) return 'moved already';
    throw new MaintenanceError(
      `The installation was moved to ${away.address} already. Run \`npm run admin -- move-back\` first if you want to move it anew, without what was stored since.`,
    );
  }
  const { rows } = await target.query<{ name: string }>(THINGS);
  const [first] = rows;
  if (first !== undefined) {
    const more = rows.length > 1 ? ` and ${rows.length - 1} more` : '';
    throw new MaintenanceError(`The database to move to is not empty: it has ${first.name}${more}. Take an empty one.`);
  }
  await markHalfMoved(target, identity);
  return { source: identity, whole: [] };
}

/** Objects that somebody made in a database: tables and the like, functions and types. Parts of extensions don't count. */
const THINGS = `select format('%I.%I', nspname, name) as name from (
    select 'pg_class'::regclass as class, oid, relname as name, relnamespace as schema from pg_class where relkind not in ('i', 'I', 't')
    union all select 'pg_proc'::regclass, oid, proname, pronamespace from pg_proc
    union all select 'pg_type'::regclass, oid, typname, typnamespace from pg_type where typrelid = 0 and typcategory <> 'A'
    union all select 'pg_collation'::regclass, oid, collname, collnamespace from pg_collation
  ) thing join pg_namespace n on n.oid = thing.schema
  where nspname !~ '^pg_' and nspname <> 'information_schema'
    and not exists (select 1 from pg_depend d where d.classid = class and d.objid = thing.oid and deptype = 'e')
  union all select format('schema %I', nspname) from pg_namespace where nspname = 'drizzle'
  order by 1`;

/**
 * Tables that an earlier run has copied and that are still the same on both sides. If one differs, somebody changed one of the
 * databases meanwhile, and the move starts again.
 */
async function stillWhole(
  source: pg.Client,
  target: pg.Client,
  { tables, half, say }: { tables: Table[]; half: HalfMoved; say: Say },
): Promise<Set<string>> {
  const before = tables.filter(({ name }) => half.whole.includes(name));
  if (before.length > 0) {
    say(`${before.length} of ${tables.length} tables were brought before. Comparing them.`);
    const different = await differencesOf(source, target, before, { withSequences: false });
    if (different.length === 0) return new Set(half.whole);
    say(`Both sides differ in ${different.join(', ')}: beginning anew.`);
  }
  await target.query('begin');
  await markNoneWhole(target);
  // Migrations may have added rows there, too.
  await target.query(`truncate ${tables.map(({ name }) => target.escapeIdentifier(name)).join(', ')}`);
  await target.query('commit');
  return new Set();
}

/** Copies rows as they are, without triggers: what they would derive is copied with other tables. */
async function copyTable(source: pg.Client, target: pg.Client, table: Table, say: Say): Promise<void> {
  const name = target.escapeIdentifier(table.name);
  await target.query('begin');
  await target.query(`alter table ${name} disable trigger user`);
  const writing = target.query(copyFrom(`copy ${copied(target, table)} from stdin`));
  let bytes = 0;
  const counting = new PassThrough().on('data', (chunk: Buffer) => (bytes += chunk.length));
  const saying = setInterval(() => say(`${table.name}: ${Math.round(bytes / MEGABYTE)} MB`), SAY_EVERY_MS);
  try {
    await pipeline(source.query(copyTo(`copy ${copied(source, table)} to stdout`)), counting, writing);
  } finally {
    clearInterval(saying);
  }
  await target.query(`alter table ${name} enable trigger user`);
  await markWhole(target, table.name);
  await target.query('commit');
  say(`${table.name}: ${writing.rowCount} rows`);
}

async function sequencesOf(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(sequencename) as name from pg_sequences where schemaname = 'public'`,
  );
  const states = new Map<string, string>();
  for (const { name } of rows) {
    const state = await client.query<{ state: string }>(`select last_value || ' ' || is_called as state from ${name}`);
    states.set(name, state.rows[0]?.state ?? '');
  }
  return states;
}

async function copySequences(source: pg.Client, target: pg.Client): Promise<void> {
  for (const [name, state] of await sequencesOf(source)) {
    const [last, isCalled] = state.split(' ');
    await target.query('select setval($1::regclass, $2::bigint, $3::boolean)', [name, last, isCalled]);
  }
}

/** Describes how the two sides differ. */
async function differencesOf(
  source: pg.Client,
  target: pg.Client,
  tables: readonly Table[],
  { withSequences = true } = {},
): Promise<string[]> {
  const different: string[] = [];
  for (const table of tables) {
    const [there, here] = await Promise.all([digestOf(source, table), digestOf(target, table)]);
    if (there.rows !== here.rows) different.push(`${table.name} (${there.rows} rows, and ${here.rows})`);
    else if (there.sum !== here.sum) different.push(`${table.name} (another content)`);
  }
  if (!withSequences) return different;
  const [there, here] = await Promise.all([sequencesOf(source), sequencesOf(target)]);
  return [...different, ...[...there].filter(([name, state]) => here.get(name) !== state).map(([name]) => name)];
}

/**
 * Rows of a table, and the sum of the checksums of all rows, whatever their order: each database sorts texts in its own way. Columns that
 * are worked out from others are left out.
 */
async function digestOf(client: pg.Client, { name, columns }: Table): Promise<{ rows: string; sum: string }> {
  const row = columns.map((column) => client.escapeIdentifier(column)).join(', ');
  const { rows } = await client.query<{ rows: string; sum: string }>(
    `select count(*) as rows, coalesce(sum(('x' || encode(substr(sha256(convert_to(row(${row})::text, 'UTF8')), 1, 8), 'hex'))::bit(64)::bigint), 0) as sum
    from ${client.escapeIdentifier(name)}`,
  );
  return rows[0] ?? { rows: '', sum: '' };
}

async function sizeOf(client: pg.Client): Promise<Pick<Moved, 'tables' | 'rows'>> {
  const tables = await listEveryTable(client);
  let count = 0;
  for (const { name } of tables) {
    const { rows } = await client.query<{ n: string }>(`select count(*) as n from ${client.escapeIdentifier(name)}`);
    count += Number(rows[0]?.n ?? 0);
  }
  return { tables: tables.length, rows: count };
}
