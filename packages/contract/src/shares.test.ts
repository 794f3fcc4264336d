import { expect, test } from 'vitest';
import { createShares } from './shares.ts';

const EVERY_MS = 1_000;

test('somebody who rests for long may use their whole share at once, and no more', () => {
  let time = 0;
  const shares = createShares({ atOnce: 3, everyMs: EVERY_MS }, () => time);
  const takeAll = (person: string): number => {
    let used = 0;
    for (; shares.waitMs({ person }) <= 0; used += 1) shares.take({ person });
    return used;
  };
  expect(takeAll('ana')).toBe(3);
  // A use by another person forgets old shares, and some uses forget nothing.
  for (const rest of [0, 500, 1_000, 10_000]) {
    time += rest;
    takeAll('bo');
    time += 3 * EVERY_MS;
    expect([rest, takeAll('ana')]).toEqual([rest, 3]);
  }
});
