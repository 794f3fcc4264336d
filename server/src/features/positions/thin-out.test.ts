import { expect, test } from 'vitest';
import { thinOut } from './thin-out.ts';

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

test('few stay as they are', () => expect(thinOut(upTo(5), 5)).toEqual([0, 1, 2, 3, 4]));

test('of many the first and the last stay, and the rest is spread evenly', () => {
  expect(thinOut(upTo(11), 5)).toEqual([0, 3, 5, 8, 10]);
  expect(thinOut(upTo(3_601), 500)).toHaveLength(500);
});
