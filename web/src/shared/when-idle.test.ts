import { fireEvent, render, screen } from '@testing-library/react';
import { createElement } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { atFirstSign, loadWhenIdle } from './when-idle.ts';

const IDLE_MS = 1_000;
const HANGING_MS = 5_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A part whose load ends when the test says so. */
function part() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { load: vi.fn(() => promise), resolve, reject };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test('parts are loaded ahead one after another, also after one that is gone', async () => {
  const [first, second, third] = [part(), part(), part()];
  loadWhenIdle([first.load, second.load, third.load]);
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  expect(first.load).toHaveBeenCalledTimes(1);
  expect(second.load).not.toHaveBeenCalled();
  first.resolve();
  await settled();
  expect(second.load).toHaveBeenCalledTimes(1);
  expect(third.load).not.toHaveBeenCalled();
  second.reject(new Error('gone'));
  await settled();
  expect(third.load).toHaveBeenCalledTimes(1);
});

test('a part whose request hangs holds up the next one for a few seconds only', async () => {
  const [first, second] = [part(), part()];
  loadWhenIdle([first.load, second.load]);
  await vi.advanceTimersByTimeAsync(IDLE_MS + HANGING_MS - 1);
  expect(second.load).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(second.load).toHaveBeenCalledTimes(1);
});

test('a page that was left loads no more parts', async () => {
  const [first, second] = [part(), part()];
  const stop = loadWhenIdle([first.load, second.load]);
  await vi.advanceTimersByTimeAsync(IDLE_MS);
  stop();
  first.resolve();
  await vi.advanceTimersByTimeAsync(HANGING_MS);
  expect(second.load).not.toHaveBeenCalled();
});

const SIGNS = ['pointermove', 'pointerdown', 'focusin'];
test.each(SIGNS)('parts are loaded at the first %s in a page, and only once', (sign) => {
  const act = vi.fn();
  const { page, button } = pageWith(act);
  // The page appeared under a pointer that rests there.
  for (const type of ['pointerover', 'pointerenter']) fireEvent(page, new MouseEvent(type, { bubbles: true }));
  expect(act).not.toHaveBeenCalled();
  for (const _ of [1, 2]) fireEvent(button, new MouseEvent(sign, { bubbles: true }));
  expect(act).toHaveBeenCalledTimes(1);
});

function pageWith(act: () => void) {
  render(
    createElement('div', { 'data-testid': 'page', ...atFirstSign(act) }, createElement('button', { type: 'button' })),
  );
  return { page: screen.getByTestId('page'), button: screen.getByRole('button') };
}
