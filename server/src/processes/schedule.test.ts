import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Database } from '#src/db/connect.ts';
import { jobs } from '#src/db/schema/server.ts';
import { createLog } from '#src/logs/log.ts';
import { uuidV7 } from '#src/shared/ids.ts';
import { openTestDatabase } from '#test/test-database.ts';
import { createJobOwners, createSchedule, type GoesOn, type Schedule } from './schedule.ts';

const HOUR_MS = 3_600_000;
const EACH = { by: 'each' } as const;
const ONE = { by: 'one' } as const;

let schedule: Schedule;
let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  schedule = createSchedule(createLog('debug', { write: (line: string) => lines.push(JSON.parse(line)) }), null);
});
afterEach(async () => {
  await schedule.close();
  vi.useRealTimers();
});

test('a job runs at each tick, and no tick begins it again while it runs', async () => {
  vi.useFakeTimers();
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = vi.fn(() => promise);
  schedule.every(1_000, 'job', work, EACH);
  await vi.advanceTimersByTimeAsync(3_500);
  expect(work).toHaveBeenCalledTimes(1);
  resolve();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(work).toHaveBeenCalledTimes(3);
});

test('a job that is wanted soon runs at once, and once more if it was wanted while it ran', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const job = schedule.every(
    HOUR_MS,
    'job',
    () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    },
    EACH,
  );
  job.soon();
  job.soon();
  job.soon();
  expect(runs).toHaveLength(1);
  runs[0]?.resolve();
  await vi.waitUntil(() => runs.length === 2);
  runs[1]?.resolve();
  await setImmediate();
  expect(runs).toHaveLength(2);
});

test('a job that fails is logged, and runs again', async () => {
  let runs = 0;
  const job = schedule.every(
    HOUR_MS,
    'job',
    () => {
      runs += 1;
      throw new Error('no');
    },
    EACH,
  );
  job.soon();
  job.soon();
  await vi.waitUntil(() => runs === 2);
  await setImmediate();
  expect(lines.map(({ msg }) => msg)).toEqual(['job_failed', 'job_failed']);
});

test('between its parts long work rests at least as long as the last one took', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const job = schedule.every(
    HOUR_MS,
    'job',
    async (goesOn) => {
      while (ended.length < 3 && (await goesOn())) {
        begun.push(performance.now());
        await sleep(20);
        ended.push(performance.now());
      }
    },
    EACH,
  );
  job.soon();
  await vi.waitUntil(() => ended.length === 3);
  for (const part of [0, 1]) {
    const [from = 0, to = 0, next = 0] = [begun[part], ended[part], begun[part + 1]];
    // Timers are exact to a millisecond.
    expect(next - to).toBeGreaterThanOrEqual(to - from - 2);
  }
});

test('closing ends long work before its next part, also while it rests, and waits for it', async () => {
  let parts = 0;
  const { promise: isInPart, resolve: inPart } = Promise.withResolvers<void>();
  const { promise: part, resolve: endPart } = Promise.withResolvers<void>();
  schedule
    .every(
      HOUR_MS,
      'job',
      async (goesOn) => {
        while (await goesOn()) {
          parts += 1;
          inPart();
          await part;
        }
      },
      EACH,
    )
    .soon();
  await isInPart;
  let isClosed = false;
  const closed = schedule.close().then(() => {
    isClosed = true;
  });
  await setImmediate();
  expect(isClosed).toBe(false);
  endPart();
  await closed;
  expect(parts).toBe(1);
});

describe('[PROC31] who of several processes has a job', () => {
  let database: Database;
  beforeEach(async () => {
    database = await openTestDatabase();
  });
  afterEach(() => database.close());
  let isEnding = false;
  const owner = () => createJobOwners(database.db, uuidV7(), () => isEnding);

  test('one at a time; then nobody until it is due again, unless it is wanted at once', async () => {
    const [ana, bo] = [owner(), owner()];
    const taken = await Promise.all([ana.take('job', HOUR_MS), bo.take('job', HOUR_MS)]);
    expect(taken.filter((isOurs) => isOurs)).toHaveLength(1);
    const [first, second] = taken[0] === true ? [ana, bo] : [bo, ana];
    expect(await second.take('job', 0)).toBe(false);
    expect(await second.take('other', HOUR_MS)).toBe(true);
    expect(await first.keep('job')).toBe(true);
    await first.leave('job', true);
    expect(await second.take('job', HOUR_MS)).toBe(false);
    expect(await second.take('job', 0)).toBe(true);
    expect(await first.keep('job')).toBe(false);
  });

  test('a process that is about to stop begins none', async () => {
    const ana = owner();
    isEnding = true;
    expect(await ana.take('job', HOUR_MS)).toBe(false);
    isEnding = false;
    expect(await ana.take('job', HOUR_MS)).toBe(true);
  });

  test('what a process leaves undone another one begins at its next tick', async () => {
    const [ana, bo] = [owner(), owner()];
    await ana.take('job', HOUR_MS);
    await ana.leave('job', false);
    expect(await bo.take('job', HOUR_MS)).toBe(true);
  });

  test('a process that died loses its job when its lease is over, and not before', async () => {
    const begunAt = sql`clock_timestamp() - interval '1 day'`;
    const leftBehind = (name: string, leaseMs: number) =>
      database.db
        .insert(jobs)
        .values({ name, owner: uuidV7(), begunAt, leaseUntil: sql`clock_timestamp() + ${leaseMs} * interval '1 ms'` });
    await leftBehind('young', 20_000);
    await leftBehind('old', -1);
    expect(await owner().take('young', 0)).toBe(false);
    expect(await owner().take('old', HOUR_MS)).toBe(true);
  });
});

describe('[PROC31] jobs of several processes', () => {
  /** The table, in memory. */
  const table = new Map<string, { owner: number; begunAt: number; isOver: boolean }>();
  const started: Schedule[] = [];
  beforeEach(() => {
    vi.useFakeTimers();
    table.clear();
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((one) => one.close()));
  });
  function startProcess(): Schedule {
    const owner = started.length;
    const one = createSchedule(createLog('silent', { write: () => undefined }), {
      async take(name, restMs) {
        const row = table.get(name);
        if (row !== undefined && (!row.isOver || Date.now() - row.begunAt < restMs)) return false;
        table.set(name, { owner, begunAt: Date.now(), isOver: false });
        return true;
      },
      keep: async (name) => table.get(name)?.owner === owner,
      async leave(name, isDone) {
        const row = table.get(name);
        if (row?.owner === owner) Object.assign(row, { isOver: true, ...(isDone ? {} : { begunAt: 0 }) });
      },
    });
    started.push(one);
    return one;
  }

  test('one of three processes does it, each time it is due', async () => {
    const [one, each] = [vi.fn(), vi.fn()];
    for (let i = 0; i < 3; i += 1) {
      const process = startProcess();
      process.every(1_000, 'one', one, ONE);
      process.every(1_000, 'each', each, EACH);
      // Keeps their timers from firing together.
      await vi.advanceTimersByTimeAsync(333);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(each.mock.calls.length).toBeGreaterThanOrEqual(30);
    expect(one.mock.calls.length).toBeGreaterThanOrEqual(8);
    expect(one.mock.calls.length).toBeLessThanOrEqual(11);
  });

  test('wanted while another process is at it, it is done once more after that', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const [first, second] = [vi.fn(() => promise), vi.fn()];
    startProcess().every(HOUR_MS, 'job', first, ONE).soon();
    await vi.advanceTimersByTimeAsync(0);
    startProcess().every(60_000, 'job', second, ONE).soon();
    await vi.advanceTimersByTimeAsync(1_000);
    resolve();
    await vi.advanceTimersByTimeAsync(58_000);
    expect(second).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
  });

  test('a process that lost its job ends it before its next part', async () => {
    let parts = 0;
    startProcess()
      .every(
        HOUR_MS,
        'job',
        async (goesOn) => {
          while (await goesOn()) {
            parts += 1;
            await sleepInFakeTime(1_000);
          }
        },
        ONE,
      )
      .soon();
    await vi.advanceTimersByTimeAsync(5_000);
    const before = parts;
    expect(before).toBeGreaterThan(0);
    table.set('job', { owner: -1, begunAt: Date.now(), isOver: false });
    await vi.advanceTimersByTimeAsync(60_000);
    const after = parts;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(parts).toBe(after);
    expect(table.get('job')).toMatchObject({ owner: -1, isOver: false });
  });

  test('a process that stops hands over what it has not done', async () => {
    const work = async (goesOn: GoesOn) => {
      while (await goesOn()) await sleepInFakeTime(1_000);
    };
    const stopping = startProcess();
    stopping.every(HOUR_MS, 'job', work, ONE).soon();
    await vi.advanceTimersByTimeAsync(500);
    const closed = stopping.close();
    await vi.advanceTimersByTimeAsync(1_000);
    await closed;
    expect(table.get('job')).toMatchObject({ isOver: true, begunAt: 0 });
  });
});

const sleepInFakeTime = (ms: number) => new Promise<void>((resolve) => void globalThis.setTimeout(resolve, ms));
