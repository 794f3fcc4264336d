import { describe, expect, test } from 'vitest';
import { type Range, unseenParts } from './reading.ts';

const range = (text: string): Range => {
  const [first = 0, last = 0] = text.split('-').map(Number);
  return { first, last };
};
const ranges = (text: string): Range[] => (text === '' ? [] : text.split(' ').map(range));

describe('the parts of a range that were not seen', () => {
  test.each([
    ['', '3-7', '3-7'],
    ['3-7', '3-7', ''],
    ['1-9', '3-7', ''],
    ['1-2', '3-7', '3-7'],
    ['8-9', '3-7', '3-7'],
    ['1-4', '3-7', '5-7'],
    ['6-9', '3-7', '3-5'],
    ['4-5', '3-7', '3-3 6-7'],
    ['1-3 5-5 7-9', '3-7', '4-4 6-6'],
    ['3-3 4-4 5-5', '3-5', ''],
    ['1-1', '2-2', '2-2'],
  ])('of seen %s, wanted %s: %s', (seen, wanted, expected) => {
    expect(unseenParts(ranges(seen), range(wanted))).toEqual(ranges(expected));
  });
});
