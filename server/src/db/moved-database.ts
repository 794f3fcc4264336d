import type pg from 'pg';
import { DatabaseStartError } from './embedded/start-error.ts';

/**
 * Marks of `npm run admin -- move-to`, beside the table of migrations: no backup holds them. The first marks a database that
 * an installation is being moved to, until everything is there. The second marks the database that it was moved from.
 */
const HALF_MOVED = 'drizzle.half_moved';
const MOVED_AWAY = 'drizzle.moved_away';

/** How far a move into this database has got. */
export interface HalfMoved {
  /** Identifies the installation that is being moved. */
  source: string;
  /** Tables that are copied completely. */
  whole: string[];
}

export interface MovedAway {
  /** Address of the database that the installation was moved to, without a password. */
  address: string;
  at: Date;
}

/** Reads the marks that moves left in this database; null for each that is missing. */
export async function readMarks(client: pg.Client): Promise<{ half: HalfMoved | null; away: MovedAway | null }> {
  const { rows } = await client.query<{ half: boolean; away: boolean }>(
    'select to_regclass($1) is not null as half, to_regclass($2) is not null as away',
    [HALF_MOVED, MOVED_AWAY],
  );
  const read = async <Row extends pg.QueryResultRow>(isThere: boolean | undefined, table: string) =>
    isThere === true ? ((await client.query<Row>(`select * from ${table}`)).rows[0] ?? null) : null;
  return {
    half: await read<HalfMoved & pg.QueryResultRow>(rows[0]?.half, HALF_MOVED),
    away: await read<MovedAway & pg.QueryResultRow>(rows[0]?.away, MOVED_AWAY),
  };
}

/** @throws DatabaseStartError when an installation was moved away from this database, or is only partly here */
export async function refuseMoved(client: pg.Client): Promise<void> {
  const { half, away } = await readMarks(client);
  if (half !== null) {
    throw new DatabaseStartError(
      'The database of DATABASE_URL holds a part of an installation that is being moved there. Run `npm run admin -- move-to` to its end, with the DATABASE_URL and DATA_DIR from before.',
    );
  }
  if (away === null) return;
  throw new DatabaseStartError(
    `This installation was moved to ${away.address} on ${away.at.toISOString().slice(0, 10)}. Set DATABASE_URL to that. To use the database from before instead, without what was stored since, run \`npm run admin -- move-back\`.`,
  );
}

/** Call this before anything else is made there: anyone who finds tables must find this mark, too. */
export async function markHalfMoved(client: pg.Client, source: string): Promise<void> {
  await client.query('begin');
  await client.query('create schema drizzle');
  await client.query(`create table ${HALF_MOVED} (source text not null, whole text[] not null)`);
  await client.query(`insert into ${HALF_MOVED} values ($1, '{}')`, [source]);
  await client.query('commit');
}

/** Call this within the transaction that fills the table. */
export const markWhole = async (client: pg.Client, table: string): Promise<void> => {
  await client.query(`update ${HALF_MOVED} set whole = whole || $1::text`, [table]);
};

export const markNoneWhole = async (client: pg.Client): Promise<void> => {
  await client.query(`update ${HALF_MOVED} set whole = '{}'`);
};

export async function markMovedAway(client: pg.Client, address: string): Promise<void> {
  await client.query('begin');
  await client.query(`drop table if exists ${MOVED_AWAY}`);
  await client.query(`create table ${MOVED_AWAY} (address text not null, at timestamptz not null)`);
  await client.query(`insert into ${MOVED_AWAY} values ($1, now())`, [address]);
  await client.query('commit');
}

export const unmarkHalfMoved = async (client: pg.Client): Promise<void> => {
  await client.query(`drop table ${HALF_MOVED}`);
};

export const unmarkMovedAway = async (client: pg.Client): Promise<void> => {
  await client.query(`drop table ${MOVED_AWAY}`);
};
