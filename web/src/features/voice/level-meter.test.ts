import type { ParticipantId } from '@pressel/contract/ids';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLevelMeter, LEVEL_STEP_MS } from './level-meter.ts';

const ann = 'ann' as ParticipantId;
const bob = 'bob' as ParticipantId;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const open = (levels: number[]) => {
  const reads: ParticipantId[] = [];
  const meter = createLevelMeter((id) => {
    reads.push(id);
    return levels.shift() ?? 0;
  });
  return { meter, reads };
};

test('[TALK90] a talker is read eight times a second, however many views show the level', () => {
  const { meter, reads } = open([0.25]);
  const [tile, button]: [number[], number[]] = [[], []];
  meter.watch(ann, (level) => tile.push(level));
  meter.watch(ann, (level) => button.push(level));
  vi.advanceTimersByTime(1_000);
  expect(reads).toEqual(Array.from({ length: 8 }, () => ann));
  expect(tile).toEqual(button);
  expect(tile[0]).toBe(0.5);
});

test('[TALK90] a level that looks the same is not shown again', () => {
  const { meter } = open([0.25, 0.251, 0.249, 0.25]);
  const shown: number[] = [];
  meter.watch(ann, (level) => shown.push(level));
  vi.advanceTimersByTime(4 * LEVEL_STEP_MS);
  expect(shown).toEqual([0.5]);
});

test('[TALK90] a sound is shown as it begins, then the loudest of every two readings', () => {
  const { meter } = open([0, 0.25, 0.01, 1, 0.01, 0.25, 0.01]);
  const shown: { level: number; reading: number }[] = [];
  let reading = 0;
  meter.watch(ann, (level) => shown.push({ level, reading }));
  for (reading = 1; reading <= 6; reading += 1) vi.advanceTimersByTime(LEVEL_STEP_MS);
  expect(shown).toEqual([
    { level: 0.5, reading: 2 },
    { level: 1, reading: 4 },
    { level: 0.5, reading: 6 },
  ]);
});

test('a level rises at once, falls slowly, and stays within 0 and 1', () => {
  const { meter } = open([Number.POSITIVE_INFINITY, -1]);
  const shown: number[] = [];
  meter.watch(ann, (level) => shown.push(level));
  vi.advanceTimersByTime(10 * LEVEL_STEP_MS);
  expect(shown[0]).toBe(1);
  expect(shown.at(-1)).toBe(0);
  expect(shown.length).toBeGreaterThan(2);
  expect(shown).toEqual(shown.toSorted((a, b) => b - a));
});

test('[TALK90] nobody watched, nothing runs', () => {
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
