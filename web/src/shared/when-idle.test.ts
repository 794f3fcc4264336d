import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadWhenIdle } from './when-idle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A part whose load ends when the test says so. */
function part() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { load: vi.fn(() => promise), resolve, reject };
}

test('parts are loaded ahead one after another, also after one that is gone', async () => {
  const [first, second, third] = [part(), part(), part()];
  loadWhenIdle([first.load, second.load, third.load]);
  await vi.runAllTimersAsync();
  expect(first.load).toHaveBeenCalledTimes(1);
  expect(second.load).not.toHaveBeenCalled();
  first.resolve();
  await vi.runAllTimersAsync();
  expect(second.load).toHaveBeenCalledTimes(1);
  expect(third.load).not.toHaveBeenCalled();
  second.reject(new Error('gone'));
  await vi.runAllTimersAsync();
  expect(third.load).toHaveBeenCalledTimes(1);
});

test('a page that was left loads no more parts', async () => {
  const [first, second] = [part(), part()];
  const stop = loadWhenIdle([first.load, second.load]);
  await vi.runAllTimersAsync();
  stop();
  first.resolve();
  await vi.runAllTimersAsync();
  expect(second.load).not.toHaveBeenCalled();
});
