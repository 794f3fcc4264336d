import { expect, test } from 'vitest';
import { swipeOf } from './swipe.ts';

const at = (x: number, y: number, ms = 0) => ({ x, y, at: ms });

test.each([
  ['to the left leads to the next tab', at(300, 400), at(200, 420, 200), 1],
  ['to the right leads back', at(100, 400), at(220, 390, 200), -1],
  ['that is short is none', at(300, 400), at(250, 400, 200), 0],
  ['that scrolls is none', at(300, 400), at(200, 300, 200), 0],
  ['that takes its time is none', at(300, 400), at(100, 400, 1500), 0],
] as const)('a swipe %s', (_, from, to, step) => {
  expect(swipeOf(from, to)).toBe(step);
});
