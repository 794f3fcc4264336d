import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, expect, vi } from 'vitest';

// Long enough for the slowest machine: how quick something is, is told by the benches.
configure({ asyncUtilTimeout: 30_000 });

// What jsdom lacks and Mantine asks for.
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
  // A test that expects an error on the console replaces the spy's behaviour and clears it.
  // biome-ignore lint/suspicious/noConsole: the console is what is watched here
  const unexpected = vi.mocked(console.error).mock.calls.map((call) => call.join(' '));
  vi.restoreAllMocks();
  expect(unexpected).toEqual([]);
});
