import { clearInterval, clearTimeout, setInterval, setTimeout } from 'node:timers';
import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest';
import './spare-diagnostics.ts';

// Long enough for the slowest machine; speed is measured by the benches.
configure({ asyncUtilTimeout: 30_000 });

const TIMERS = { clearInterval, clearTimeout, setInterval, setTimeout };

/** Web Audio that the browser blocks: rooms and calls open it. */
class SilentContext extends EventTarget {
  readonly state = 'suspended';
  resume = async () => undefined;
  suspend = async () => undefined;
  close = async () => undefined;
}

// Browser APIs that tests need and jsdom lacks.
if (typeof window !== 'undefined') {
  window.matchMedia = (query: string) =>
    Object.assign(new EventTarget(), {
      matches: false,
      media: query,
      onchange: null,
      addListener() {},
      removeListener() {},
    });
  window.ResizeObserver = class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };
  Object.defineProperty(document, 'fonts', { configurable: true, value: new EventTarget() });
  Object.defineProperty(window, 'AudioContext', { configurable: true, value: SilentContext });
  window.scrollTo = () => {};
  Element.prototype.scrollIntoView = () => {};
}

beforeEach(() => {
  vi.spyOn(console, 'error');
});

afterEach(() => {
  cleanup();
  if (typeof window !== 'undefined') {
    window.localStorage.clear();
    window.sessionStorage.clear();
  }
  // A test that expects an error on the console replaces the spy's implementation and clears it.
  // biome-ignore lint/suspicious/noConsole: this hook checks the console
  const unexpected = vi.mocked(console.error).mock.calls.map((call) => call.join(' '));
  vi.restoreAllMocks();
  expect(unexpected).toEqual([]);
});

// The files of a worker share its globals. If one leaves a faked timer behind, it stands still in all later files.
afterAll(() => {
  const { clearInterval, clearTimeout, setInterval, setTimeout } = globalThis;
  for (const [name, timer] of Object.entries({ clearInterval, clearTimeout, setInterval, setTimeout })) {
    expect(timer, name).toBe(TIMERS[name as keyof typeof TIMERS]);
  }
});
