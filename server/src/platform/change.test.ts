import { DrizzleQueryError } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { createLog } from '#src/shared/log.ts';
import { NO_METRICS } from '#src/shared/metrics.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { type Change, createChange } from './change.ts';
import { createFacts } from './facts.ts';

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
