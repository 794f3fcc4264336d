import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRandom } from '#test/random-source.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { HIDDEN_SPREAD_MS, SHOWN_SPREAD_MS, whenReady } from './when-ready.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Opens a page that reads when the server is ready; its first time is over. */
function openPage({ random = (): number => 0.5, isShown = true } = {}) {
  const realtime = createRealtimeDouble();
  let shown = isShown;
  const page = new EventTarget();
  Object.defineProperty(page, 'visibilityState', { get: () => (shown ? 'visible' : 'hidden') });
  const read = vi.fn();
  const stop = whenReady(realtime, read, { random, page: page as never });
  realtime.tell('ready', {});
  expect(read, 'a page that opens waits for nothing').toHaveBeenCalledOnce();
  read.mockClear();
  return {
    ...{ read, stop },
    ready: () => realtime.tell('ready', {}),
    show(next: boolean) {
      shown = next;
      page.dispatchEvent(new Event('visibilitychange'));
    },
  };
}

test('[LIST12] a thousand pages ask a server that is back over seconds, those on the screen first', async () => {
  const { next: random } = createRandom(7);
  const pages = Array.from({ length: 1_000 }, (_, index) => openPage({ random, isShown: index % 2 === 0 }));
  for (const { ready } of pages) ready();
  const count = (from: number) =>
    pages.filter(({ read }, index) => index % 2 === from && read.mock.calls.length === 1).length;
  expect([count(0), count(1)]).toEqual([0, 0]);
  const inTenths: number[] = [];
  for (let passed = 0; passed < SHOWN_SPREAD_MS; passed += 100) {
    const before = count(0) + count(1);
    await vi.advanceTimersByTimeAsync(100);
    inTenths.push(count(0) + count(1) - before);
  }
  expect(count(0), 'nothing on a screen stays old').toBe(500);
  expect(count(1)).toBeLessThan(120);
  expect(Math.max(...inTenths), 'of 1,000 in a tenth of a second').toBeLessThan(60);
  await vi.advanceTimersByTimeAsync(HIDDEN_SPREAD_MS);
  expect(count(1)).toBe(500);
});

test('[LIST12] a page that comes to the screen reads at once, and once', async () => {
  const { read, ready, show } = openPage({ isShown: false });
  ready();
  show(true);
  expect(read).toHaveBeenCalledOnce();
  show(false);
  show(true);
  await vi.advanceTimersByTimeAsync(HIDDEN_SPREAD_MS);
  expect(read).toHaveBeenCalledOnce();
});

test('[LIST12] a link that comes and goes is followed by one reading; a page that is closed reads nothing', async () => {
  const { read, ready, stop } = openPage();
  for (let times = 0; times < 5; times += 1) ready();
  await vi.advanceTimersByTimeAsync(SHOWN_SPREAD_MS);
  expect(read).toHaveBeenCalledOnce();
  ready();
  stop();
  await vi.advanceTimersByTimeAsync(SHOWN_SPREAD_MS);
  expect(read).toHaveBeenCalledOnce();
});
