import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RETRY_MS, startAgain } from './start-again.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** `answers`: the outcome of each try to reload; null: it throws, because nothing can be kept. */
async function failStart(answers: (boolean | null)[], mayReload = true) {
  let tries = 0;
  let reloads = 0;
  const says: (() => void)[] = [];
  const renewal = {
    renew: async () => {
      const answer = answers[tries] ?? false;
      tries += 1;
      if (answer === null) throw new Error('QuotaExceededError');
      return answer;
    },
    reload: async () => {
      reloads += 1;
    },
  };
  await startAgain({ renewal, mayReload, say: (reload) => says.push(reload), window });
  return { says, tries: () => tries, reloads: () => reloads };
}

test('[APP6] a start that lacks a file reloads once, and says nothing meanwhile', async () => {
  const { says, tries } = await failStart([true]);
  expect(says).toEqual([]);
  await vi.advanceTimersByTimeAsync(10 * RETRY_MS);
  expect(tries()).toBe(1);
});

test('[APP6] [APP10] without a server it says so, and tries again by itself and as soon as there is a network', async () => {
  const { says, tries, reloads } = await failStart([false]);
  expect(says).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(RETRY_MS);
  expect(tries()).toBe(2);
  window.dispatchEvent(new Event('online'));
  expect(tries()).toBe(3);
  says[0]?.();
  expect(reloads()).toBe(1);
});

test('[APP6] where nothing can be kept it never reloads by itself', async () => {
  expect((await failStart([null])).says).toHaveLength(1);
});

test('[APP6] a page that alone has the token of its link reloads by its button only', async () => {
  const { says, tries, reloads } = await failStart([true], false);
  await vi.advanceTimersByTimeAsync(10 * RETRY_MS);
  expect(tries()).toBe(0);
  says[0]?.();
  expect(reloads()).toBe(1);
});
