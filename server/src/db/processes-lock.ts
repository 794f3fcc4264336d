import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { DatabaseStartError } from './embedded/start-error.ts';
import { ENDING_LOCK, IS_ANY_SERVING, IS_ANY_STAYING, PROCESSES_LOCK, SERVING_LOCK, STARTING_LOCK } from './locks.ts';
import { processName, readMigrations } from './migrations.ts';

/**
 * How long to wait for the lock, ms. At the start PostgreSQL may need a moment to notice that the earlier process was killed. After a
 * lost connection it may notice the loss later than we do. The turn to begin may come only after several others, of which each may take
 * `beginMs`.
 */
const WAITS = { startMs: 5_000, retakeMs: 15_000, serveMs: 60_000, beginMs: 10_000 };
/** PostgreSQL ends the connection of a process that was stopped while it begins, ms. One that only waits checks its connection (`loss`). */
const STANDSTILL_MS = 10_000;
const RETRY_MS = 100;
const RECONNECT_MS = 1_000;
/** How often the connection is checked, and how long an answer may take: a firewall that drops it tells nobody. */
const CHECK_MS = 5_000;
/** PostgreSQL probes a silent machine, and gives it up after about four seconds. */
const NOTICE_DEATH = 'set tcp_keepalives_idle = 2; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 2';

export interface ProcessesLock {
  /** No other process held the lock in any mode when this one started. */
  readonly isFirst: boolean;
  /**
   * Call once, when this process listens. Calls `begin` with whether no other process serves, and counts as one that serves after that.
   * If several processes call it at once, one of them is the first, and the others wait for it.
   * @throws DatabaseStartError it took too long; the next process may begin
   */
  serve(begin: (isFirst: boolean) => Promise<void>): Promise<void>;
  /**
   * Tells the other processes that this one ends. It may be called again.
   * @returns whether one of them stays: it serves, and was not told to end
   */
  sayEnding(): Promise<boolean>;
  /** False from the moment that the connection is known to be lost until the lock is taken again. */
  isHeld(): boolean;
  release(): Promise<void>;
}

export interface ProcessesLockDeps {
  connection: Readonly<pg.ClientConfig>;
  /** Whether this process shares its rooms with others. */
  isShared: boolean;
  /** The connection was lost; it is being restored. */
  onTrouble(error: unknown): void;
  /** Another process got the lock meanwhile. */
  onLost(): void;
  signal?: AbortSignal | undefined;
  /** Shorter waits for tests. */
  waits?: Partial<typeof WAITS>;
}

/**
 * Keeps processes that don't know of each other off one database. Processes that share their rooms hold an advisory lock together; one
 * that doesn't holds it alone. Each uses a connection of its own, so PostgreSQL takes the lock back however the process ends.
 * @throws DatabaseStartError another process has it
 */
export async function lockProcesses(deps: ProcessesLockDeps): Promise<ProcessesLock> {
  const { connection, isShared, onTrouble, onLost, signal } = deps;
  const waits = { ...WAITS, ...deps.waits };
  const ending = new AbortController();
  const isOver = () => ending.signal.aborted || signal?.aborted === true;

  const tryFor = async (waitMs: number, attempt: () => Promise<boolean>): Promise<boolean> => {
    const end = performance.now() + waitMs;
    while (!(await attempt())) {
      if (performance.now() >= end || isOver()) return false;
      await sleep(RETRY_MS);
    }
    return true;
  };
  const waitForIt = (client: pg.Client, waitMs: number) => tryFor(waitMs, () => take(client, isShared));

  let isServing = false;
  let isHeld = true;
  let client = await connect(connection, isServing);
  let isFirst = false;
  try {
    isFirst = await take(client, false);
    if (!isFirst && !(await waitForIt(client, waits.startMs))) throw new DatabaseStartError(refusal(isShared));
    if (isFirst && isShared) await shareIt(client);
  } catch (error) {
    await close(client);
    throw error;
  }

  /** @returns false when somebody else has it */
  const retake = async (): Promise<boolean> => {
    for (;;) {
      try {
        client = await connect(connection, isServing);
        if (await waitForIt(client, waits.retakeMs)) return true;
        await close(client);
        return isOver();
      } catch (error) {
        onTrouble(error);
        await close(client);
      }
      await sleep(RECONNECT_MS, undefined, { signal: ending.signal }).catch(() => undefined);
      if (isOver()) return true;
    }
  };
  const keep = async (): Promise<void> => {
    while (!isOver()) {
      const cause = await loss(client, ending.signal);
      if (isOver()) return;
      isHeld = false;
      onTrouble(cause);
      await close(client);
      if (!(await retake())) return onLost();
      isHeld = true;
    }
  };
  const keeping = keep();

  return {
    isFirst,
    async serve(begin) {
      const asking = client;
      const isOurTurn = await tryFor(waits.serveMs, () => takeTurn(asking));
      if (!isOurTurn) throw new DatabaseStartError(HANGING);
      try {
        await within(waits.beginMs, begin(!(await isTrue(asking, IS_ANY_SERVING))));
      } catch (error) {
        // The next process needn't wait until this one has ended.
        asking.query('rollback').catch(() => undefined);
        throw error;
      }
      isServing = true;
      // Processes that wait for the end of this transaction find one that serves.
      await asking.query(`select pg_advisory_unlock_shared(${STARTING_LOCK}); commit`);
    },
    async sayEnding() {
      const asking = client;
      // Nobody holds this lock alone, so it is there at once, and also a second time.
      await asking.query('select pg_advisory_lock_shared($1)', [ENDING_LOCK]);
      return isTrue(asking, IS_ANY_STAYING);
    },
    isHeld: () => isHeld,
    async release() {
      ending.abort();
      await close(client);
      await keeping;
    },
  };
}

const refusal = (isShared: boolean): string =>
  isShared
    ? 'A Pressel without REDIS_URL, a restore or a move works on the database of DATABASE_URL. Stop it, or set the same REDIS_URL for it.'
    : 'Another Pressel, a restore or a move works on the database of DATABASE_URL. Stop it, or set the same REDIS_URL for both.';

const HANGING =
  'Another Pressel on the database of DATABASE_URL hangs while it starts. Stop it, and start this one again.';

const TOO_SLOW =
  'This Pressel could not begin to serve in time, because the database of DATABASE_URL is too slow. Look what keeps it busy or locked there, and start this Pressel again.';

/** @throws DatabaseStartError the work takes longer */
async function within(maxMs: number, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  const late = sleep(maxMs, undefined, { signal: done.signal }).then(() => {
    throw new DatabaseStartError(TOO_SLOW);
  });
  await Promise.race([work, late]).finally(() => done.abort());
}

async function connect(connection: Readonly<pg.ClientConfig>, isServing: boolean): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: CHECK_MS, query_timeout: CHECK_MS });
  // `loss`, or the statement under way, reports it.
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`${NOTICE_DEATH}; set application_name = '${processName(readMigrations().length)}'`);
  if (!isServing) await client.query('select pg_advisory_lock_shared($1)', [STARTING_LOCK]);
  return client;
}

async function take(client: pg.Client, isShared: boolean): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>(
    `select pg_try_advisory_lock${isShared ? '_shared' : ''}($1) as taken`,
    [PROCESSES_LOCK],
  );
  return rows[0]?.taken === true;
}

/** Begins a transaction in which no other process begins to serve. @returns false when another one is doing so */
async function takeTurn(client: pg.Client): Promise<boolean> {
  await client.query(`begin; set local idle_in_transaction_session_timeout = ${STANDSTILL_MS}`);
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1) as taken', [
    SERVING_LOCK,
  ]);
  if (rows[0]?.taken === true) return true;
  await client.query('rollback');
  return false;
}

async function isTrue(client: pg.Client, sql: string): Promise<boolean> {
  const { rows } = await client.query<{ is_true: boolean }>(`select ${sql} as is_true`);
  return rows[0]?.is_true === true;
}

/** Turns an exclusive lock into a shared one. */
async function shareIt(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock_shared($1)', [PROCESSES_LOCK]);
  await client.query('select pg_advisory_unlock($1)', [PROCESSES_LOCK]);
}

/** Waits until the connection is lost. @returns the error or event that shows it */
function loss(client: pg.Client, signal: AbortSignal): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const check = setInterval(() => void client.query('select 1').catch(resolve), CHECK_MS);
  check.unref();
  client.once('end', resolve);
  client.once('error', resolve);
  signal.addEventListener('abort', resolve, { once: true });
  return promise.finally(() => clearInterval(check));
}

/** Cuts a connection that no longer answers, instead of waiting for its goodbye. */
async function close(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => undefined), sleep(RECONNECT_MS, undefined, { ref: false })]);
}
