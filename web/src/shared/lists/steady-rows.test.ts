import { expect, test } from 'vitest';
import { steadyRows } from './steady-rows.ts';

const row = (id: string, n = 0) => ({ id, n });
const keyOf = ({ id }: { id: string }) => id;

test('without anybody there, rows are the newest', () => {
  expect(steadyRows(null, [row('b'), row('a')], keyOf)).toEqual({
    rows: [
      { row: row('b'), isGone: false },
      { row: row('a'), isGone: false },
    ],
    waiting: 0,
  });
});

test('held rows keep their places with their newest content; the gone are marked, the new wait', () => {
  const held = [row('a'), row('b'), row('c')];
  expect(steadyRows(held, [row('new'), row('c', 7), row('a')], keyOf)).toEqual({
    rows: [
      { row: row('a'), isGone: false },
      { row: row('b'), isGone: true },
      { row: row('c', 7), isGone: false },
    ],
    waiting: 1,
  });
});
