import { talkMode } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import pg from 'pg';
import * as z from 'zod';
import { IS_ANY_SERVING } from '#src/db/locks.ts';
import { inRounds } from '#src/db/rounds.ts';
import { AppError } from '#src/shared/app-error.ts';
import { type FloorState, nextDeadline } from './floor-state.ts';

/** A floor as it is stored. */
export interface FloorRow {
  /** Differs after each change, and after the table was emptied. */
  readonly revision: number;
  readonly state: FloorState;
  /** The time of the change, ms. */
  readonly at: number;
}

/** Each answer also tells the database's clock, and since when it remembers floors; null: it remembers none yet. */
export interface Moment {
  readonly now: number;
  readonly epoch: number | null;
}

export type FloorRowsByChannel = ReadonlyMap<ChannelId, FloorRow>;

/** The floors in the database, by single statements. Several processes share them. */
export interface FloorRows {
  /**
   * Stores a change if the floor still has this revision, nobody changes it at this moment, and `next.at` is about the time. Changes of
   * several floors that come at once are one statement.
   * @returns whether it did; else the floor as it was when the statement began
   */
  swap(
    channelId: ChannelId,
    revision: number,
    next: FloorRow,
  ): Promise<Moment & { isStored: boolean; row: FloorRow | null }>;
  /**
   * Changes a floor that nobody else changes meanwhile. `work` gets it with the time after the waiting, and may return null for
   * no change. It may be called again.
   */
  change(
    channelId: ChannelId,
    work: (row: FloorRow | null, moment: { now: number; epoch: number }) => FloorRow | null,
  ): Promise<void>;
  read(channelIds: readonly ChannelId[]): Promise<Moment & { rows: FloorRowsByChannel }>;
  /** Floors whose next lease or timer ends within this time. */
  listDue(withinMs: number): Promise<Moment & { rows: FloorRowsByChannel }>;
  /** Floors with a lease or timer, and those of these channels. */
  listActive(channelIds: readonly ChannelId[]): Promise<Moment & { rows: FloorRowsByChannel }>;
  forget(channelId: ChannelId): Promise<void>;
  /**
   * Makes sure that there is an epoch. `isNew`: no process remembers the earlier floors, so they are given up.
   * @throws Error `isNew`, although a process serves
   */
  begin(isNew: boolean): Promise<Moment>;
  close(): Promise<void>;
}

/** A change is applied at most this long after the time that it was made for, ms. */
export const SKEW_MS = 500;

/** Connections for floors only: they suffice for thousands of changes a second, and no other request takes one of them. */
const CONNECTIONS = 2;
/**
 * Time limits, ms: a floor that takes longer helps nobody. A process that hangs in the middle of a change lets go of the floor
 * (PROC75).
 */
const PATIENCE = {
  ...{ connectionTimeoutMillis: 2_000, lock_timeout: 1_500, statement_timeout: 2_000 },
  idle_in_transaction_session_timeout: 1_000,
};
/** How long to wait for a statement that PostgreSQL doesn't end itself, because the link is gone, ms. */
const ANSWER_MS = 3_000;
const RETRY_AFTER_SECONDS = 1;

const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';
/** One row, with volatile parts that PostgreSQL works out once. */
const MOMENT = `(select ${NOW} as now, (select opened_at from floor_epochs) as epoch offset 0) moment`;
const FLOOR = 'f.channel_id, f.revision, f.state, f.at';
/** The numbers of its values, of which each is a list. */
const SWAP_COLUMNS = [0, 1, 2, 3, 4, 5];
/** A floor that somebody changes at this moment is passed over: the others must not wait for it. */
const SWAP = `with asked as (
    select * from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
      as asked (id, revision, next, state, at, due_at)
  ), free as (
    select f.channel_id as id from floors f join asked on asked.id = f.channel_id and asked.revision = f.revision
    where abs(${NOW} - asked.at) <= ${SKEW_MS}
    for update of f skip locked
  ), stored as (
    update floors f set revision = asked.next, state = asked.state, at = asked.at, due_at = asked.due_at,
      is_due = asked.due_at is not null
    from asked join free using (id)
    where f.channel_id = asked.id and f.revision = asked.revision
    returning f.channel_id as id)
  select moment.now, moment.epoch, asked.id as asked_id, stored.id is not null as is_stored, ${FLOOR}
  from ${MOMENT} cross join asked left join stored using (id)
    left join floors f on f.channel_id = asked.id and stored.id is null`;

/**
 * One transaction. The process may have been stopped since it asked whether others serve, so that is asked once more. From then on nobody
 * makes a floor until its end: the first change of a floor needs the row of the epoch.
 */
const GIVE_UP = `
  select from floor_epochs for update;
  do $$ begin if ${IS_ANY_SERVING} then raise exception 'Another process serves by now'; end if; end $$;
  update floor_epochs set opened_at = greatest(opened_at + 1, ${NOW});
  delete from floors;
  delete from floor_talks`;

const claim = z.looseObject({
  ...{ id: z.string(), userId: z.string(), name: z.string(), priority: z.number(), seq: z.number() },
  ...{ leaseUntil: z.number(), busyUntil: z.number() },
});
/**
 * A floor as all versions store it. Fields of a newer version stay in it. A mode that this version doesn't know is read as in
 * the row of the channel.
 */
const storedFloor = z.looseObject({
  ...{ mode: talkMode.catch('single'), channelVersion: z.number(), version: z.number() },
  talkers: z.array(claim.extend({ since: z.number(), talkUntil: z.number() })),
  queue: z.array(claim),
  // One number for each participant, of whom there may be hundreds. Their types aren't checked: nobody writes anything else there.
  lastSeq: z.custom<Record<string, number>>((value) => typeof value === 'object' && value !== null),
  recovery: z.looseObject({ until: z.number().nullable(), newest: z.number() }).nullable(),
});

interface Swap {
  channelId: ChannelId;
  revision: number;
  next: FloorRow;
}
interface Swapped {
  found: Found | undefined;
  isStored: boolean;
}

interface Found {
  now: string;
  epoch: string | null;
  channel_id: ChannelId | null;
  revision: string;
  state: string;
  at: string;
}

/**
 * @param onError called for connections that fail unused
 * @param onUnreadable called for a floor that another version wrote and this one can't serve
 */
export function createFloorRows(
  connection: Readonly<pg.PoolConfig>,
  onError: (error: Error) => void,
  onUnreadable: (channelId: ChannelId) => void,
): FloorRows {
  const pool = new pg.Pool({
    ...{ ...connection, ...PATIENCE, max: CONNECTIONS, query_timeout: ANSWER_MS },
    // A crash loses the floors anyway.
    options: '-c synchronous_commit=off',
  });
  pool.on('error', onError);
  // See `openDatabase`.
  pool.on('connect', (client) => client.on('error', () => undefined));

  const list = async (name: string, condition: string, values: unknown[]) => {
    const text = `select moment.now, moment.epoch, ${FLOOR} from ${MOMENT} left join floors f on ${condition}`;
    const { rows } = await pool.query<Found>({ name, text, values });
    const floors = new Map<ChannelId, FloorRow>();
    for (const found of rows) {
      if (found.channel_id === null) continue;
      const row = rowOf(found);
      // The other floors must not wait for it.
      if (row === null) onUnreadable(found.channel_id);
      else floors.set(found.channel_id, row);
    }
    return { ...momentOf(rows[0]), rows: floors };
  };

  /** A connection that is lost may have stored them, so nobody asks again. */
  const swap = inRounds(async (swaps: readonly Swap[]): Promise<readonly (Swapped | Error)[]> => {
    // The first of two changes of one floor counts.
    const byChannel = new Map(swaps.toReversed().map((one) => [one.channelId, one]));
    const all = [...byChannel.values()];
    const asked = all.map(({ channelId, revision, next }) => [channelId, revision, ...valuesOf(next)]);
    const values = SWAP_COLUMNS.map((column) => asked.map((one) => one[column]));
    try {
      const { rows } = await pool.query<Found & { asked_id: ChannelId; is_stored: boolean }>({
        ...{ name: 'floor_swap', text: SWAP, values },
      });
      const byId = new Map(rows.map((found) => [found.asked_id, found]));
      return swaps.map((one) => {
        const found = byId.get(one.channelId);
        return { found, isStored: byChannel.get(one.channelId) === one && found?.is_stored === true };
      });
    } catch (error) {
      return swaps.map(() => (error instanceof Error ? error : new Error('Thrown', { cause: error })));
    }
  });

  /** @throws AppError unavailable: to the one who changes it, since a process of the other version can */
  const readable = (channelId: ChannelId, found: Found): FloorRow => {
    const row = rowOf(found);
    if (row !== null) return row;
    onUnreadable(channelId);
    throw new AppError('unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  };

  /** @returns null when another process was first to make the row */
  const changeOnce = async (
    client: pg.PoolClient,
    channelId: ChannelId,
    work: Parameters<FloorRows['change']>[1],
  ): Promise<boolean> => {
    const { rows } = await client.query<Found>(`select ${FLOOR} from floors f where channel_id = $1 for update`, [
      channelId,
    ]);
    const before = rows[0] === undefined ? null : readable(channelId, rows[0]);
    // Keeps the epoch from being replaced until this change, which belongs to it, is stored.
    await client.query('select from floor_epochs for share');
    const moment = await client.query<Found>(`select moment.now, moment.epoch from ${MOMENT}`);
    const { now, epoch } = momentOf(moment.rows[0]);
    if (epoch === null) {
      await client.query(`insert into floor_epochs values (1, ${NOW}) on conflict do nothing`);
      return false;
    }
    const next = work(before, { now, epoch });
    if (next === null) return true;
    const text =
      before === null
        ? `insert into floors (channel_id, revision, state, at, due_at, is_due) values ($1, $2, $3, $4, $5, $5::bigint is not null)
          on conflict do nothing`
        : `update floors set revision = $2, state = $3, at = $4, due_at = $5, is_due = $5::bigint is not null where channel_id = $1`;
    const { rowCount } = await client.query(text, [channelId, ...valuesOf(next)]);
    return rowCount === 1;
  };

  return {
    async swap(channelId, revision, next) {
      const swapped = await swap({ channelId, revision, next });
      if (swapped instanceof Error) throw swapped;
      const { found, isStored } = swapped;
      const row = found === undefined || found.channel_id === null ? null : readable(channelId, found);
      return { ...momentOf(found), isStored, row };
    },

    async change(channelId, work) {
      const client = await pool.connect();
      let failure: Error | undefined;
      try {
        for (let isDone = false; !isDone; ) {
          await client.query('begin');
          isDone = await changeOnce(client, channelId, work);
          await client.query('commit');
        }
      } catch (error) {
        failure = error instanceof Error ? error : new Error('Thrown', { cause: error });
        throw error;
      } finally {
        // The end of its connection, which may hang, undoes the change.
        client.release(failure);
      }
    },

    read: (channelIds) => list('floor_read', 'f.channel_id = any($1)', [channelIds]),
    listDue: (withinMs) => list('floor_due', 'f.is_due and f.due_at <= moment.now + $1::bigint', [withinMs]),
    listActive: (channelIds) => list('floor_active', 'f.is_due or f.channel_id = any($1)', [channelIds]),

    async forget(channelId) {
      await pool.query('delete from floors where channel_id = $1', [channelId]);
    },

    async begin(isNew) {
      await pool.query(`insert into floor_epochs values (1, ${NOW}) on conflict do nothing`);
      if (isNew) await pool.query(GIVE_UP);
      const { rows } = await pool.query<Found>(`select moment.now, moment.epoch from ${MOMENT}`);
      return momentOf(rows[0]);
    },

    close: () => pool.end(),
  };
}

const momentOf = (found: Found | undefined): Moment => ({
  now: Number(found?.now),
  epoch: found === undefined || found.epoch === null ? null : Number(found.epoch),
});

/** @returns null: this version can't read it */
export const readFloor = (stored: string): FloorState | null => checkFloor(JSON.parse(stored));

/** @returns null: another version made it, and this one can't read it */
export function checkFloor(floor: unknown): FloorState | null {
  const { data } = storedFloor.safeParse(floor);
  // Ids were checked where they came in.
  return data === undefined ? null : (data as unknown as FloorState);
}

function rowOf({ revision, state: stored, at }: Found): FloorRow | null {
  const state = readFloor(stored);
  return state === null ? null : { revision: Number(revision), at: Number(at), state };
}

const valuesOf = ({ revision, state, at }: FloorRow) => [revision, JSON.stringify(state), at, nextDeadline(state)];
