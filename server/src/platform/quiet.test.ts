import type { UserId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { createQuiet } from './quiet.ts';

const lea = 'lea' as UserId;
const hugo = 'hugo' as UserId;

function start() {
  let now = 1_000;
  const quiet = createQuiet(() => now);
  const at = (ms: number, about?: UserId | null) => {
    now = 1_000 + ms;
    if (about !== undefined) quiet.told(about);
  };
  return { quiet, at };
}

test('it is quiet since the start, or since the last news', () => {
  const { quiet, at } = start();
  at(500);
  expect(quiet.quietMs(lea)).toBe(500);
  at(600, null);
  at(650);
  expect(quiet.quietMs(lea)).toBe(50);
});

test('news of nobody but oneself leave it quiet: somebody who reloads the page disturbs nobody', () => {
  const { quiet, at } = start();
  at(100, hugo);
  at(700, lea);
  at(900, lea);
  at(1_000);
  expect(quiet.quietMs(lea)).toBe(900);
  expect(quiet.quietMs(hugo)).toBe(100);
});

test('news of everything in between count, whoever came after', () => {
  const { quiet, at } = start();
  at(100, lea);
  at(200, null);
  at(300, lea);
  at(400);
  expect(quiet.quietMs(lea)).toBe(200);
});
