import { DrizzleQueryError, sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database, Tx } from '#src/db/connect.ts';
import { createLog } from '#src/logs/log.ts';
import { NO_METRICS } from '#src/logs/metrics.ts';
import { createFacts } from '#src/processes/facts.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { waitUntil } from '#test/wait-until.ts';
import { type Change, createChange } from './change.ts';

const DEADLOCK = '40P01';

let database: Database;
let change: Change;
let told: string[];
beforeEach(async () => {
  database = await openTestDatabase();
  told = [];
  const facts = createFacts(database.db, createLog('debug', { write: () => undefined }), null, () => undefined);
  facts.on('channelDeleted', ({ channelId }) => void told.push(channelId));
  change = createChange({
    facts,
    record: async () => undefined,
    metrics: NO_METRICS,
    now: () => new Date(),
  });
});
afterEach(() => database.close());

const collision = () => new DrizzleQueryError('update', [], Object.assign(new Error('deadlock'), { code: DEADLOCK }));
/** Announces a deletion, and collides with another transaction the given number of times. */
const work = (collisions: number) => {
  let runs = 0;
  const run: Parameters<Change>[1] = async (_tx, act) => {
    runs += 1;
    act.after('channelDeleted', { channelId: `run ${runs}` } as never);
    expect(told, 'nothing is told before the commit').toEqual([]);
    if (runs <= collisions) throw collision();
    return runs;
  };
  return run;
};

test('[PROC94] a change that hangs ends before those that wait for it give up, and nothing of it is kept', async () => {
  const limits = await change(null, async (tx) => {
    const { rows } = await tx.execute<{ idle: string; lock: string }>(
      sql`select current_setting('idle_in_transaction_session_timeout') as idle, current_setting('lock_timeout') as lock`,
    );
    return rows[0];
  });
  expect(limits).toEqual({ idle: '5s', lock: '10s' });
  const began = Promise.withResolvers<void>();
  const stored = (tx: Tx) => tx.execute(sql`insert into erasures (kind, owner_id) values ('user', gen_random_uuid())`);
  const hanging = change(null, async (tx) => {
    await tx.execute(sql`set local idle_in_transaction_session_timeout = '50ms'`);
    await stored(tx);
    began.resolve();
    // It hangs until PostgreSQL has ended its connection.
    await waitUntil(async () => (await idle()) === 0);
    await stored(tx);
  });
  const idle = async () => {
    const { rows } = await database.db.execute(sql`select 1 from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'`);
    return rows.length;
  };
  await began.promise;
  await expect(hanging).rejects.toThrow();
  expect(await change(null, async () => 'next')).toBe('next');
  expect((await database.db.execute(sql`select 1 from erasures`)).rows).toEqual([]);
});

test('a change that meets another one is made once more, and told once', async () => {
  expect(await change(null, work(1))).toBe(2);
  expect(told).toEqual(['run 2']);
});

test('a change that meets another one twice fails, and nothing is told', async () => {
  await expect(change(null, work(2))).rejects.toThrow(DrizzleQueryError);
  expect(told).toEqual([]);
});

test('of a change that fails nothing is told, and it is not made again', async () => {
  let runs = 0;
  const failing = change(null, async (_tx, act) => {
    runs += 1;
    act.after('channelDeleted', { channelId: 'never' } as never);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect([runs, told]).toEqual([1, []]);
});
