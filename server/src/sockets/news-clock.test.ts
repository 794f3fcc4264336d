import type { UserId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { createNewsClock } from './news-clock.ts';

const lea = 'lea' as UserId;
const hugo = 'hugo' as UserId;

function start() {
  let now = 1_000;
  const newsClock = createNewsClock(() => now);
  const at = (ms: number, about?: UserId | null) => {
    now = 1_000 + ms;
    if (about !== undefined) newsClock.noteNews(about);
  };
  return { newsClock, at };
}

test('it is quiet since the start, or since the last news', () => {
  const { newsClock, at } = start();
  at(500);
  expect(newsClock.quietMs(lea)).toBe(500);
  at(600, null);
  at(650);
  expect(newsClock.quietMs(lea)).toBe(50);
});

test('news of nobody but oneself leave it quiet: somebody who reloads the page disturbs nobody', () => {
  const { newsClock, at } = start();
  at(100, hugo);
  at(700, lea);
  at(900, lea);
  at(1_000);
  expect(newsClock.quietMs(lea)).toBe(900);
  expect(newsClock.quietMs(hugo)).toBe(100);
});

test('news of everything in between count, whoever came after', () => {
  const { newsClock, at } = start();
  at(100, lea);
  at(200, null);
  at(300, lea);
  at(400);
  expect(newsClock.quietMs(lea)).toBe(200);
});
