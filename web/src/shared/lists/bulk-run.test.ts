import { type UserId, userId } from '@pressel/contract/ids';
import { waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ApiError, isUnreachable } from '#src/shared/api/api-error.ts';
import { sampleId } from '#test/samples.ts';
import { type BulkRun, type BulkRunDeps, createBulkRun, type RowOutcome } from './bulk-run.ts';

const idsOf = (count: number): UserId[] => Array.from({ length: count }, (_, index) => userId.parse(sampleId(index)));
const allDone = (ids: readonly UserId[]): RowOutcome[] => ids.map((one) => ({ id: one, outcome: 'done' }));

/** Sets up a run in parts of two, whose answers the test gives one after the other. */
function setUp(count: number, part: Partial<BulkRunDeps<UserId>> = {}) {
  const ids = idsOf(count);
  const asked: { ids: readonly UserId[]; answer: PromiseWithResolvers<readonly RowOutcome[]> }[] = [];
  const run = createBulkRun({
    ids,
    change(ids) {
      const answer = Promise.withResolvers<readonly RowOutcome[]>();
      asked.push({ ids, answer });
      return answer.promise;
    },
    isDeletion: false,
    isUnsure: isUnreachable,
    partSize: 2,
    ...part,
  });
  const nth = (index: number) => {
    const one = asked[index];
    if (one === undefined) throw new Error(`Part ${index} was not asked for`);
    return one;
  };
  return {
    ids,
    asked,
    run,
    answer: (index: number, outcomes = allDone(nth(index).ids)) => nth(index).answer.resolve(outcomes),
    fail: (index: number, error: unknown) => nth(index).answer.reject(error),
  };
}
const until = (run: BulkRun, phase: string) => waitFor(() => expect(run.getSnapshot().phase).toBe(phase));

test('parts are sent one after the other, and each counts as soon as it is answered', async () => {
  const { ids, asked, run, answer } = setUp(5);
  const heard: number[] = [];
  run.subscribe(() => heard.push(run.getSnapshot().tried));
  run.start();
  expect(asked.map((part) => part.ids)).toEqual([ids.slice(0, 2)]);
  answer(0);
  await waitFor(() => expect(asked).toHaveLength(2));
  answer(1);
  await waitFor(() => expect(asked).toHaveLength(3));
  answer(2);
  await until(run, 'finished');
  expect(asked[2]?.ids).toEqual(ids.slice(4));
  expect(run.getSnapshot()).toEqual({ phase: 'finished', total: 5, tried: 5, done: 5, leftOut: [] });
  expect(heard).toEqual([0, 2, 4, 5, 5]);
});

test('a part holds as many as the server takes, unless told otherwise', () => {
  const sizes: number[] = [];
  createBulkRun({
    ids: idsOf(250),
    change: async (ids) => {
      sizes.push(ids.length);
      return allDone(ids);
    },
    isDeletion: false,
    isUnsure: isUnreachable,
  }).start();
  expect(sizes).toEqual([100]);
});

test('those whom the change could not be made to are named with the reason, in order', async () => {
  const { ids, run, asked, answer } = setUp(4);
  const [a, b, c, d] = ids as [UserId, UserId, UserId, UserId];
  run.start();
  answer(0, [
    { id: a, outcome: 'not_found' },
    { id: b, outcome: 'done' },
  ]);
  await waitFor(() => expect(asked).toHaveLength(2));
  answer(1, [
    { id: c, outcome: 'last_admin' },
    { id: d, outcome: 'done' },
  ]);
  await until(run, 'finished');
  expect(run.getSnapshot()).toMatchObject({
    done: 2,
    leftOut: [
      { id: a, reason: 'not_found' },
      { id: c, reason: 'last_admin' },
    ],
  });
});

test('a stop waits for the part under way, sends no other, and what is done stays counted', async () => {
  const { asked, run, answer } = setUp(6);
  run.start();
  run.stop();
  expect(run.getSnapshot().phase).toBe('stopping');
  answer(0);
  await until(run, 'stopped');
  expect(asked).toHaveLength(1);
  expect(run.getSnapshot()).toMatchObject({ tried: 2, done: 2, total: 6 });
});

test('a stop during the last part is a finish', async () => {
  const { run, answer } = setUp(2);
  run.start();
  run.stop();
  answer(0);
  await until(run, 'finished');
});

test('after a stop it goes on where it was', async () => {
  const { ids, asked, run, answer } = setUp(3);
  run.start();
  run.stop();
  answer(0);
  await until(run, 'stopped');
  run.start();
  expect(asked[1]?.ids).toEqual(ids.slice(2));
  answer(1);
  await until(run, 'finished');
  expect(run.getSnapshot().done).toBe(3);
});

test('a lost link stops the run, says how many are done and of how many it is not known, and the part is sent again', async () => {
  const { asked, run, answer, fail } = setUp(4);
  run.start();
  answer(0);
  await waitFor(() => expect(asked).toHaveLength(2));
  const error = new ApiError('unreachable');
  fail(1, error);
  await until(run, 'failed');
  expect(run.getSnapshot()).toEqual({ phase: 'failed', total: 4, tried: 2, done: 2, leftOut: [], error, unsure: 2 });
  run.start();
  expect(asked[2]?.ids).toEqual(asked[1]?.ids);
  answer(2);
  await until(run, 'finished');
  expect(run.getSnapshot()).toMatchObject({ done: 4, leftOut: [] });
});

test('a refusal leaves nothing unsure', async () => {
  const { run, fail } = setUp(2);
  run.start();
  fail(0, new ApiError('not_found'));
  await until(run, 'failed');
  expect(run.getSnapshot()).toMatchObject({ done: 0, unsure: 0 });
});

test('who is gone when a deletion is sent again was deleted by the first try', async () => {
  const { ids, asked, run, answer, fail } = setUp(4, { isDeletion: true });
  const [a, b, c, d] = ids as [UserId, UserId, UserId, UserId];
  run.start();
  fail(0, new ApiError('timeout'));
  await until(run, 'failed');
  run.start();
  answer(1, [
    { id: a, outcome: 'not_found' },
    { id: b, outcome: 'done' },
  ]);
  await waitFor(() => expect(asked).toHaveLength(3));
  answer(2, [
    { id: c, outcome: 'not_found' },
    { id: d, outcome: 'done' },
  ]);
  await until(run, 'finished');
  expect(run.getSnapshot()).toMatchObject({ done: 3, leftOut: [{ id: c, reason: 'not_found' }] });
});

test('closed, it sends no other part and tells nobody', async () => {
  const { asked, run, answer } = setUp(4);
  const listener = vi.fn();
  run.start();
  run.subscribe(listener);
  run.close();
  answer(0);
  await waitFor(() => expect(run.getSnapshot().tried).toBe(2));
  run.start();
  expect(asked).toHaveLength(1);
  expect(listener).not.toHaveBeenCalled();
});
