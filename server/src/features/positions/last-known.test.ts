import type { UserId } from '@pressel/contract/ids';
import { expect, test, vi } from 'vitest';
import { createLastKnown } from './last-known.ts';

const [ANA, BO, CAM] = ['ana', 'bo', 'cam'] as UserId[] as [UserId, UserId, UserId];

test('those who are asked for meanwhile are read together, each once', async () => {
  const reads: (readonly UserId[])[] = [];
  const first = Promise.withResolvers<void>();
  const last = createLastKnown(async (userIds) => {
    reads.push(userIds);
    if (reads.length === 1) await first.promise;
    return new Map([[BO, { recordedAt: new Date(7) }]]);
  });
  const asked = [ANA, BO, CAM, BO].map((userId) => last.of(userId));
  first.resolve();
  expect((await Promise.all(asked)).map(({ at }) => at)).toEqual([
    Number.NEGATIVE_INFINITY,
    7,
    Number.NEGATIVE_INFINITY,
    7,
  ]);
  expect(reads).toEqual([[ANA], [BO, CAM]]);
  expect(await last.of(BO)).toBe(await asked[1]);
  last.forget(BO);
  await last.of(BO);
  expect(reads).toHaveLength(3);
});

test('what could not be read is read again when it is asked for again', async () => {
  let fails = true;
  const last = createLastKnown(async () => {
    if (fails) throw new Error('away');
    return new Map();
  });
  await expect(last.of(ANA)).rejects.toThrow('away');
  fails = false;
  expect(await last.of(ANA)).toEqual({ at: Number.NEGATIVE_INFINITY });
});

test('[POS39] who has connected is read within a second, with all others, and then no position waits', async () => {
  vi.useFakeTimers();
  const reads: (readonly UserId[])[] = [];
  const last = createLastKnown(async (userIds) => {
    reads.push(userIds);
    return new Map([[BO, { recordedAt: new Date(7) }]]);
  });
  for (const userId of [ANA, BO, BO]) last.soon(userId);
  expect(reads).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(reads).toEqual([[ANA, BO]]);
  expect(await last.of(BO)).toEqual({ at: 7 });
  last.soon(BO);
  last.soon(CAM);
  last.forget(CAM);
  vi.advanceTimersByTime(1_000);
  expect(reads).toHaveLength(1);
  last.soon(CAM);
  last.close();
  vi.advanceTimersByTime(1_000);
  expect(reads).toHaveLength(1);
  vi.useRealTimers();
});

test('[POS39] what could not be read ahead is read for the first position', async () => {
  vi.useFakeTimers();
  let fails = true;
  const last = createLastKnown(async () => {
    if (fails) throw new Error('away');
    return new Map();
  });
  last.soon(ANA);
  await vi.advanceTimersByTimeAsync(1_000);
  fails = false;
  expect(await last.of(ANA)).toEqual({ at: Number.NEGATIVE_INFINITY });
  vi.useRealTimers();
});
