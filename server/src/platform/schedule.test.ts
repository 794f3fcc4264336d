import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#src/shared/log.ts';
import { createSchedule, type Schedule } from './schedule.ts';

const HOUR_MS = 3_600_000;

let schedule: Schedule;
let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
  schedule = createSchedule(createLog('debug', { write: (line: string) => lines.push(JSON.parse(line)) }));
});
afterEach(async () => {
  await schedule.close();
  vi.useRealTimers();
});

test('a job runs at each tick, and no tick begins it again while it runs', async () => {
  vi.useFakeTimers();
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = vi.fn(() => promise);
  schedule.every(1_000, 'job', work);
  await vi.advanceTimersByTimeAsync(3_500);
  expect(work).toHaveBeenCalledTimes(1);
  resolve();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(work).toHaveBeenCalledTimes(3);
});

test('a job that is wanted soon runs at once, and once more if it was wanted while it ran', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const job = schedule.every(HOUR_MS, 'job', () => {
    const run = Promise.withResolvers<void>();
    runs.push(run);
    return run.promise;
  });
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
  const job = schedule.every(HOUR_MS, 'job', () => {
    runs += 1;
    throw new Error('no');
  });
  job.soon();
  job.soon();
  await vi.waitUntil(() => runs === 2);
  await setImmediate();
  expect(lines.map(({ msg }) => msg)).toEqual(['job_failed', 'job_failed']);
});

test('between its parts long work rests at least as long as the last one took', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const job = schedule.every(HOUR_MS, 'job', async (goesOn) => {
    while (ended.length < 3 && (await goesOn())) {
      begun.push(performance.now());
      await sleep(20);
      ended.push(performance.now());
    }
  });
  job.soon();
  await vi.waitUntil(() => ended.length === 3);
  for (const part of [0, 1]) {
    const [from = 0, to = 0, next = 0] = [begun[part], ended[part], begun[part + 1]];
    // Timers are true to a millisecond.
    expect(next - to).toBeGreaterThanOrEqual(to - from - 2);
  }
});

test('closing ends long work before its next part, also while it rests, and waits for it', async () => {
  let parts = 0;
  const { promise: isInPart, resolve: inPart } = Promise.withResolvers<void>();
  const { promise: part, resolve: endPart } = Promise.withResolvers<void>();
  schedule
    .every(HOUR_MS, 'job', async (goesOn) => {
      while (await goesOn()) {
        parts += 1;
        inPart();
        await part;
      }
    })
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
