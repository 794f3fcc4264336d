import { expect, test } from 'vitest';
import { steadyRows } from './use-steady-rows.ts';

const row = (id: string, n = 0) => ({ id, n });
const all = (...rows: ReturnType<typeof row>[]) => ({ rows, total: rows.length });
const keyOf = ({ id }: { id: string }) => id;

test('without anybody there, rows are the newest', () => {
  expect(steadyRows(null, all(row('b'), row('a')), keyOf)).toEqual({
    rows: [
      { row: row('b'), isGone: false },
      { row: row('a'), isGone: false },
    ],
    waiting: 0,
    isChanged: false,
  });
});

test('held rows keep their places with their newest content; the gone are marked, the new wait', () => {
  const held = all(row('a'), row('b'), row('c'));
  expect(steadyRows(held, all(row('new'), row('c', 7), row('a')), keyOf)).toEqual({
    rows: [
      { row: row('a'), isGone: false },
      { row: row('b'), isGone: true },
      { row: row('c', 7), isGone: false },
    ],
    waiting: 1,
    isChanged: true,
  });
});

test('a row that a longer list pushed to the next page is not gone', () => {
  const held = { rows: [row('b'), row('c')], total: 8 };
  const { rows, waiting } = steadyRows(held, { rows: [row('a'), row('b')], total: 9 }, keyOf);
  expect(rows.map(({ isGone }) => isGone)).toEqual([false, false]);
  expect(waiting).toBe(1);
});

test('[LIST1] a row that moved to another page is not gone; one that made the list shorter is', () => {
  const held = { rows: [row('a'), row('b')], total: 8 };
  const gone = (rows: ReturnType<typeof row>[], total: number) =>
    steadyRows(held, { rows, total }, keyOf).rows.map(({ isGone }) => isGone);
  expect(gone([row('b'), row('c')], 8)).toEqual([false, false]);
  expect(gone([row('b'), row('c')], 7)).toEqual([true, false]);
  expect(gone([row('c'), row('d')], 7)).toEqual([false, false]);
});
