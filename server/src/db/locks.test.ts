import { expect, test } from 'vitest';
import * as locks from './locks.ts';

test('no two locks are the same: one would wait for the other for ever', () => {
  const numbers = Object.values(locks);
  expect(numbers).toHaveLength(new Set(numbers).size);
});
