import { beginningOf } from '@pressel/contract/activities';
import { loggedType } from '@pressel/contract/activity-types';
import { expect, test } from 'vitest';
import { activityOf } from '#test/log-double.ts';
import { TYPE_GROUPS } from './activity-filters.tsx';
import { columnsOf } from './activity-timeline.tsx';

const logOf = (count: number) => Array.from({ length: count }, (_, index) => activityOf(count - index));
const idsOf = (count: number, columns: number) =>
  columnsOf(logOf(count), columns).map((days) => days.flatMap(({ entries }) => entries.length).reduce((a, b) => a + b));

test.each([
  [21, 3, [7, 7, 7]],
  [21, 2, [11, 10]],
  [22, 1, [22]],
  [4, 3, [2, 2]],
  [1, 3, [1]],
  [0, 3, []],
])('[LOGS6] %i entries in %i columns', (count, columns, heights) => {
  expect(idsOf(count, columns)).toEqual(heights);
});

test('[LOGS6] days are told apart as this browser has them, and each column begins with one', () => {
  const columns = columnsOf(logOf(72), 2);
  for (const days of columns) {
    for (const { at, entries } of days) {
      for (const { createdAt } of entries) expect(new Date(createdAt).toDateString()).toBe(new Date(at).toDateString());
    }
  }
  expect(columns.flat().length).toBeGreaterThanOrEqual(4);
});

test('[LOGS9] every type is in one group', () => {
  expect(Object.values(TYPE_GROUPS).flat().sort()).toEqual([...loggedType.options].sort());
});

test.each([
  ['1w', '2026-03-31T10:00:00.000Z', '2026-03-24T10:00:00.000Z'],
  ['2w', '2026-03-31T10:00:00.000Z', '2026-03-17T10:00:00.000Z'],
  ['1m', '2026-03-31T10:00:00.000Z', '2026-02-28T10:00:00.000Z'],
  ['1m', '2026-11-22T10:00:00.000Z', '2026-10-22T10:00:00.000Z'],
] as const)('[LOGS12] %s before %s is %s', (frame, now, before) => {
  expect(beginningOf(frame, new Date(now)).toISOString()).toBe(before);
});
