import { expect, test } from 'vitest';
import { createFakeClock, settle } from '#test/fake-clock.ts';
import { createReconciler, RETRY_MAX_MS } from './link-lines.ts';

const setUp = () => {
  const clock = createFakeClock();
  const steps: boolean[] = [];
  let isRefused = true;
  const wish = createReconciler(clock, true);
  wish.begin(true, async (next) => {
    steps.push(next);
    return !isRefused;
  });
  return {
    ...{ clock, steps, wish },
    refuse(next: boolean) {
      isRefused = next;
    },
  };
};

test('what a browser refuses for ever is tried ever more rarely, and never given up', async () => {
  const { clock, steps, wish, refuse } = setUp();
  wish.want(false);
  const hour = 3_600_000;
  await clock.advance(hour);
  expect(steps.length).toBeLessThan(hour / RETRY_MAX_MS + 10);
  refuse(false);
  steps.length = 0;
  await clock.advance(RETRY_MAX_MS);
  expect(steps).toEqual([false]);
});

test('another wish is tried at once, however long the one before was refused', async () => {
  const { clock, steps, wish, refuse } = setUp();
  wish.want(false);
  await clock.advance(60_000);
  steps.length = 0;
  refuse(false);
  wish.want(true);
  await settle();
  expect(steps, 'what still holds needs no step').toEqual([]);
  refuse(true);
  wish.want(false);
  await clock.advance(250);
  expect(steps).toEqual([false, false]);
  wish.close();
  await clock.advance(60_000);
  expect(steps).toHaveLength(2);
});
