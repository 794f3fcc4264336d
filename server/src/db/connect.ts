import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { MIGRATION_LOCK } from './locks.ts';
import { migrateTables, readMigrations } from './migrations.ts';
import { refuseMoved } from './moved-database.ts';
import { endSilentLinks } from './silent-links.ts';

export type Db = NodePgDatabase;
/** Inside `transaction(tx => …)` use `tx` only: the pool may have no other connection left. */
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];
/** The parameter of repositories: the database, or its caller's transaction. */
export type Sql = Db | Tx;

export interface Database {
  readonly db: Db;
  /** For connections that don't come from the pool. */
  readonly connection: Readonly<pg.PoolConfig>;
  /** No other process worked on the database when this one started. */
  readonly isFirst: boolean;
  /**
   * Call once, when this process listens and before anybody is admitted. Calls `begin` with whether no other process serves; the others
   * wait for it.
   */
  serve(begin: (isFirst: boolean) => Promise<void>): Promise<void>;
  /**
   * Tells the other processes that this one ends. It may be called again.
   * @returns whether one of them stays: it serves, and was not told to end
   */
  sayEnding(): Promise<boolean>;
  /** Whether this process has its place on the database, as far as known: false while it can't connect. */
  isReached(): boolean;
  ping(): Promise<void>;
  /** @throws Error when the tables are older than this version */
  requireMigrations(): Promise<void>;
  /** Counts the pool's connections now, and how many callers wait for one. */
  connections(): { used: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/**
 * No request waits for ever: after these times it fails as `unavailable`, and its connection is free again. Statements get
 * the longest: storing a whole import takes a few seconds on a busy machine.
 */
const PRESSURE = {
  max: 10,
  connectionTimeoutMillis: 10_000,
  lock_timeout: 10_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 30_000,
  // An unused connection that was dropped without a word is given up after 20 s, before a request gets it.
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} satisfies pg.PoolConfig;
/** PostgreSQL has ended a statement or an idle transaction by then, and its word of it has arrived, ms. */
const ANSWERED_MS = PRESSURE.statement_timeout + 5_000;

/**
 * Connects to a PostgreSQL and brings its tables up to date.
 * @param onError hears of connections that fail unused
 * @throws DatabaseStartError tables or processes of another version don't go with this one
 */
export async function openDatabase(
  connection: Readonly<pg.PoolConfig>,
  onError: (error: Error) => void,
): Promise<Database> {
  await migrateDatabase(connection);
  const known = readMigrations().length;
  const pool = new pg.Pool({ ...PRESSURE, ...connection });
  pool.on('error', onError);
  // A cut connection reports it twice while it is lent: to the statement under way, which handles it, and here. The pool
  // listens only to idle connections, and an unhandled error event ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const endWatch = endSilentLinks(pool, { connection, endMs: ANSWERED_MS });
  const waitForEnds = watchEnds(pool);
  return {
    db: drizzle(pool),
    connection,
    isFirst: false,
    serve: (begin) => begin(false),
    sayEnding: async () => true,
    isReached: () => true,
    ping: async () => void (await pool.query('select 1')),
    async requireMigrations() {
      const { rows } = await pool.query('select count(*)::int as count from drizzle.__drizzle_migrations');
      if (rows[0].count < known)
        throw new Error(`The tables have been through ${rows[0].count} of ${known} migrations`);
    },
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      await pool.end();
      await waitForEnds();
      endWatch();
    },
  };
}

/** A pool ends once it has sent its goodbyes; a server that is stopped then cuts the connections. This waits for their ends. */
function watchEnds(pool: pg.Pool): () => Promise<unknown> {
  const open = new Set<Promise<void>>();
  pool.on('connect', (client) => {
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    open.add(ended);
    void ended.then(() => open.delete(ended));
  });
  return () => Promise.all(open);
}

/** A migration may take as long as it needs. */
async function migrateDatabase({ max: _max, ...connection }: Readonly<pg.PoolConfig>): Promise<void> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: PRESSURE.connectionTimeoutMillis });
  // The query's own promise has already reported it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // The migrator takes no lock itself, so two processes that start together would both migrate. The lock ends with the connection.
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await refuseMoved(client);
    await migrateTables(client, drizzle(client));
  } finally {
    await client.end();
  }
}
