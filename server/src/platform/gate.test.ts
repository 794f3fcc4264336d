import { expect, test } from 'vitest';
import { createGate } from './gate.ts';

/** Work that ends when the test says so. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let hasBegun = false;
  return {
    run: () => {
      hasBegun = true;
      return promise;
    },
    end: resolve,
    fail: reject,
    hasBegun: () => hasBegun,
  };
}

test('runs up to the limit at once and the rest in order of arrival, also after a failure', async () => {
  const gate = createGate(2, 10, 1);
  const works = Array.from({ length: 5 }, work);
  const results = works.map(({ run }) => gate.run(run).catch((error: Error) => error.message));
  const begun = () => works.map(({ hasBegun }) => hasBegun());
  expect(begun()).toEqual([true, true, false, false, false]);
  works[1]?.fail(new Error('failed'));
  await results[1];
  expect(begun()).toEqual([true, true, true, false, false]);
  works[0]?.end('first');
  await results[0];
  works[2]?.end('third');
  await results[2];
  expect(begun()).toEqual([true, true, true, true, true]);
  for (const { end } of works) end('done');
  expect(await Promise.all(results)).toEqual(['first', 'failed', 'third', 'done', 'done']);
  expect(await gate.run(async () => 'later')).toBe('later');
});

test('refuses when the queue is full, with a retry time', async () => {
  const gate = createGate(1, 1, 5);
  const first = work();
  const inside = gate.run(first.run);
  const waiting = gate.run(async () => 'second');
  await expect(gate.run(async () => 'third')).rejects.toMatchObject({
    code: 'unavailable',
    params: { retryAfterSeconds: 5 },
  });
  first.end('first');
  expect(await Promise.all([inside, waiting])).toEqual(['first', 'second']);
});
