import { sql as expression } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import type { Db, Tx } from '#src/db/connect.ts';
import { OUTBOX_LOCK } from '#src/db/locks.ts';
import { prepared } from '#src/db/prepared-statement.ts';
import { outbox } from '#src/db/schema/server.ts';

/** How often to look without a notice, ms: a notice may be lost with its connection. */
const LOOK_MS = 1_000;
/** Pause between two attempts to connect, ms. */
const RETRY_MS = 250;
/** How long the database may not answer before a new connection is made, ms. */
const PATIENCE_MS = 5_000;
/** Maximum of rows in one look. */
const ROWS = 500;
/** How long rows are kept. A process that didn't look for nearly as long may have missed some. */
const KEPT_MS = 3_600_000;
const LATE_MS = KEPT_MS - 600_000;

/** A fact as it is stored. Its reader may be of another version than its writer. */
interface Stored {
  readonly fact: string;
  readonly news: unknown;
}

/** The facts that processes on one database tell each other. */
export interface Outbox {
  /** Stores facts in the transaction of their change. Call it last: until the commit other processes wait to write theirs. */
  write(tx: Tx, told: readonly Stored[]): Promise<void>;
  /** Hands over everything that any process, including this one, stores from now on: once each, in the order of the commits. */
  follow(heard: (fact: string, news: unknown) => void): Promise<void>;
  /**
   * Hands over everything committed by now, without waiting for a notice. Calls that come during a look become one look after it.
   * @returns false when nobody follows
   */
  catchUp(): Promise<boolean>;
  /** Deletes rows that every process has read. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

export interface OutboxDeps {
  db: Db;
  connection: Readonly<pg.PoolConfig>;
  /** This process. Its facts are stored under this name, so that people who read the table see where they come from. */
  origin: string;
  /** Called when facts were lost and nobody knows which. */
  missed(): void;
  log: FastifyBaseLogger;
}

/** A type, not an interface: Drizzle's rows are records. */
type Look = {
  /** Time by the database's clock, ms. */
  at: number;
  id: string | null;
  fact: string;
  news: unknown;
};

const { raw, placeholder } = expression;
/**
 * Reads rows that are newer than one. The statement hides the id from the planner, so that one plan serves for all: everybody who enters a
 * room waits for a look.
 * @returns at least one row, which tells the time
 */
export const lookBeyond = prepared<Look>(
  () => expression`select (extract(epoch from statement_timestamp()) * 1000)::float8 as at, new.*
    from (values (0)) as one
    left join lateral (
      select id, fact, news from outbox where id > (select ${placeholder('id')}::bigint) order by id limit ${raw(String(ROWS))}
    ) as new on true`,
);

export function createOutbox({ db, connection, origin, missed, log }: OutboxDeps): Outbox {
  const ending = new AbortController();
  /** The newest row read, and the time of reading by the database's clock. */
  let last = 0;
  let lookedAt = 0;
  let wake = Promise.withResolvers<void>();
  let following: Promise<void> = Promise.resolve();
  let isFollowing = false;
  let heard: (fact: string, news: unknown) => void = () => undefined;

  /** Opens a connection that listens: notices come only on that one. */
  async function connect(): Promise<pg.Client> {
    const { max: _max, ...options } = connection;
    const client = new pg.Client({ ...options, connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS });
    const look = () => wake.resolve();
    client.on('notification', look);
    client.on('end', look);
    client.on('error', look);
    try {
      await client.connect();
      await client.query('listen outbox');
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    return client;
  }

  /** A restored database, or one that failed over to an older copy, gives numbers again that were read already. */
  async function checkPosition(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ given: string; newest: string }>(
      'select last_value as given, (select coalesce(max(id), 0) from outbox) as newest from outbox_id_seq',
    );
    if (Number(rows[0]?.given) >= last) return;
    last = Number(rows[0]?.newest);
    missed();
  }

  /**
   * Two looks may be under way at once: each reads everything committed after the last known row, so the second to
   * come back skips what the first handed over.
   * @param sql the connection that listens, or the pool
   * @returns whether there may be more
   */
  async function look(sql: Db): Promise<boolean> {
    const { rows } = await lookBeyond(sql, { id: last });
    const [{ at = lookedAt } = {}] = rows;
    if (at - lookedAt > LATE_MS) missed();
    lookedAt = Math.max(lookedAt, at);
    for (const row of rows) {
      const id = Number(row.id);
      if (row.id === null || id <= last) continue;
      last = id;
      heard(row.fact, row.news);
    }
    return rows.length === ROWS;
  }

  let catching = Promise.resolve(false);
  let next: Promise<boolean> | null = null;
  async function lookAtAll(): Promise<boolean> {
    if (!isFollowing) return false;
    while (await look(db));
    return true;
  }

  const rest = async (ms: number): Promise<void> => {
    const timer = setTimeout(() => wake.resolve(), ms);
    await wake.promise;
    clearTimeout(timer);
  };

  async function follow(first: pg.Client): Promise<void> {
    let client: pg.Client | null = first;
    let listening: Db = drizzle(first);
    let isAway = false;
    while (!ending.signal.aborted) {
      try {
        if (client === null) {
          client = await connect();
          await checkPosition(client);
          listening = drizzle(client);
        }
        wake = Promise.withResolvers();
        const isMore = await look(listening);
        if (isAway) log.info('outbox_back');
        isAway = false;
        if (!isMore && !ending.signal.aborted) await rest(LOOK_MS);
      } catch (error) {
        if (!isAway) log.error({ err: error }, 'outbox_failed');
        isAway = true;
        // Not awaited: saying goodbye to a server that is away may take for ever.
        void client?.end().catch(() => undefined);
        client = null;
        wake = Promise.withResolvers();
        if (!ending.signal.aborted) await rest(RETRY_MS);
      }
    }
    await client?.end().catch(() => undefined);
  }

  return {
    async write(tx, told) {
      await tx.execute(expression`select pg_advisory_xact_lock(${OUTBOX_LOCK}), pg_notify('outbox', '')`);
      await tx.insert(outbox).values(told.map(({ fact, news }) => ({ origin, fact, news })));
    },
    async follow(hear) {
      heard = hear;
      const client = await connect();
      const { rows } = await client.query<{ at: number; last: string }>(
        `select (extract(epoch from statement_timestamp()) * 1000)::float8 as at, coalesce(max(id), 0) as last from outbox`,
      );
      last = Number(rows[0]?.last ?? 0);
      lookedAt = rows[0]?.at ?? 0;
      isFollowing = true;
      following = follow(client);
    },
    catchUp() {
      next ??= catching
        .catch(() => false)
        .then(() => {
          next = null;
          catching = lookAtAll();
          return catching;
        });
      return next;
    },
    async sweep() {
      await db.delete(outbox).where(expression`${outbox.at} < now() - ${KEPT_MS} * interval '1 millisecond'`);
    },
    async close() {
      isFollowing = false;
      ending.abort();
      wake.resolve();
      await following;
    },
  };
}
