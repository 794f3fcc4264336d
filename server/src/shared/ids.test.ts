import { expect, test } from 'vitest';
import { uuidV7 } from './ids.ts';

test('ids of one moment sort as they were made, after all of an earlier moment', () => {
  const later = Array.from({ length: 20_000 }, () => uuidV7(1_800_000_000_001));
  const ids = [uuidV7(1_800_000_000_000), ...later];
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('an id says its version, its variant and its moment', () => {
  expect(uuidV7(0x0199_9999_9999)).toMatch(/^01999999-9999-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
});
