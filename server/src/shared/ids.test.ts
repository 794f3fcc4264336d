import { expect, test, vi } from 'vitest';
import { uuidV7 } from './ids.ts';

const asked = vi.hoisted(() => ({ times: 0 }));
vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>();
  const counted =
    <Args extends unknown[], Answer>(work: (...args: Args) => Answer) =>
    (...args: Args): Answer => {
      asked.times += 1;
      return work(...args);
    };
  return {
    ...crypto,
    randomBytes: counted((bytes: number) => crypto.randomBytes(bytes)),
    randomFillSync: counted((bytes: Buffer) => crypto.randomFillSync(bytes)),
  };
});

test('[PROC86] a thousand ids ask for random bytes once or twice, and no two share theirs', () => {
  asked.times = 0;
  const ids = Array.from({ length: 1_000 }, () => uuidV7());
  expect(asked.times).toBeLessThanOrEqual(2);
  expect(new Set(ids.map((id) => id.slice(-12))).size).toBe(ids.length);
});

test('ids of one moment sort as they were made, after all of an earlier moment', () => {
  const later = Array.from({ length: 20_000 }, () => uuidV7(1_800_000_000_001));
  const ids = [uuidV7(1_800_000_000_000), ...later];
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('an id says its version, its variant and its moment', () => {
  expect(uuidV7(0x0199_9999_9999)).toMatch(/^01999999-9999-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
});
