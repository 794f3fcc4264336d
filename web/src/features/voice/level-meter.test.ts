import type { ParticipantId } from '@pressel/contract/ids';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLevelMeter, LEVEL_STEP_MS, STEPS_HELD } from './level-meter.ts';

const ann = 'ann' as ParticipantId;
const bob = 'bob' as ParticipantId;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A meter of voices with these levels, one per step, then silence. */
const open = (levels: readonly number[]) => {
  const reads: ParticipantId[] = [];
  const begun = Date.now();
  const meter = createLevelMeter((id) => {
    reads.push(id);
    return levels[(Date.now() - begun) / LEVEL_STEP_MS - 1] ?? 0;
  });
  return { meter, reads };
};

test('[TALK90] a talker is read eight times a second, however many views show the level', () => {
  const { meter, reads } = open(Array.from({ length: 8 }, () => 0.25));
  const [tile, button]: [number[], number[]] = [[], []];
  meter.watch(ann, (level) => tile.push(level));
  meter.watch(ann, (level) => button.push(level));
  vi.advanceTimersByTime(1_000);
  expect(reads).toEqual(Array.from({ length: 8 }, () => ann));
  expect(tile).toEqual(button);
  expect(tile[0]).toBe(0.5);
});

test('[TALK90] a level that is held is read half as often', () => {
  const { meter, reads } = open([1]);
  meter.watch(ann, () => undefined);
  vi.advanceTimersByTime(LEVEL_STEP_MS);
  vi.advanceTimersByTime(STEPS_HELD * LEVEL_STEP_MS);
  expect(reads, 'every second time while it is held').toHaveLength(1 + STEPS_HELD / 2);
  vi.advanceTimersByTime(1_000);
  expect(reads, 'and each time when it has fallen, so that it rises at once').toHaveLength(1 + STEPS_HELD / 2 + 8);
});

test('[TALK90] a level that looks the same is not shown again', () => {
  const { meter } = open([0.25, 0.251, 0.249, 0.25]);
  const shown: number[] = [];
  meter.watch(ann, (level) => shown.push(level));
  vi.advanceTimersByTime(4 * LEVEL_STEP_MS);
  expect(shown).toEqual([0.5]);
});

test('[TALK90] a voice that grows from nothing to its loudest moves what is shown six times', () => {
  const readings = Array.from({ length: 101 }, (_, index) => (index / 100) ** 2);
  const { meter } = open(readings);
  const shown: number[] = [];
  meter.watch(ann, (level) => shown.push(level));
  vi.advanceTimersByTime(readings.length * LEVEL_STEP_MS);
  expect(shown).toEqual([1, 2, 3, 4, 5, 6].map((step) => step / 6));
});

test('[TALK90] a level that is not reached is held for 1.25 s', () => {
  const { meter } = open([1]);
  const shown: number[] = [];
  meter.watch(ann, (level) => shown.push(level));
  vi.advanceTimersByTime(LEVEL_STEP_MS + 1_249);
  expect(shown).toEqual([1]);
  vi.advanceTimersByTime(1);
  expect(shown).toEqual([1, 0]);
});

const pausing = (readings: number) => Array.from({ length: readings }, () => 0);

test.each([
  [
    'a sound is shown as it begins, and louder at once',
    [0, 0.25, 1],
    [
      [0.5, 2],
      [1, 3],
    ],
  ],
  [
    'the gaps between words move nothing',
    [1, ...pausing(STEPS_HELD - 2), 1, 1, ...pausing(3), 0.25, 0.25, ...pausing(3), 1, 1],
    [[1, 1]],
  ],
  [
    'it falls to the loudest of the time in which it was not reached',
    [1, 0.01, 0.01, 0.25, ...pausing(STEPS_HELD - 3), ...pausing(STEPS_HELD)],
    [
      [1, 1],
      [0.5, 1 + STEPS_HELD],
      [0, 1 + 2 * STEPS_HELD],
    ],
  ],
  [
    'it stays within 0 and 1',
    [Number.POSITIVE_INFINITY, ...pausing(STEPS_HELD - 1), -1],
    [
      [1, 1],
      [0, 1 + STEPS_HELD],
    ],
  ],
])('[TALK90] a level rises at once and is held: %s', (_, levels, expected) => {
  const { meter } = open(levels);
  const shown: number[][] = [];
  let reading = 0;
  meter.watch(ann, (level) => shown.push([level, reading]));
  for (reading = 1; reading <= levels.length; reading += 1) vi.advanceTimersByTime(LEVEL_STEP_MS);
  expect(shown).toEqual(expected);
});

test('[TALK90] nobody watched, nothing runs', () => {
  // Work that an earlier file of this worker left may have set some since.
  vi.clearAllTimers();
  const { meter, reads } = open([]);
  expect(vi.getTimerCount()).toBe(0);
  const stops = [meter.watch(ann, () => undefined), meter.watch(bob, () => undefined)];
  stops[0]?.();
  vi.advanceTimersByTime(LEVEL_STEP_MS);
  expect(reads).toEqual([bob]);
  stops[1]?.();
  expect(vi.getTimerCount()).toBe(0);
});

test('who begins to watch later sees the level of the others', () => {
  const { meter } = open([1, 1]);
  meter.watch(ann, () => undefined);
  vi.advanceTimersByTime(LEVEL_STEP_MS);
  const shown: number[] = [];
  meter.watch(ann, (level) => shown.push(level));
  expect(shown).toEqual([1]);
});
