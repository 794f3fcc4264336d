import { afterEach, expect, test, vi } from 'vitest';
import { reachServer } from './reach-server.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

const asked = (answer: () => Promise<Response>) => {
  const fetch = vi.fn<typeof globalThis.fetch>(answer);
  vi.stubGlobal('fetch', fetch);
  return { fetch, isOpen: reachServer(new AbortController().signal) };
};

test.each([
  [200, true],
  [204, true],
  [401, true],
  [403, true],
  [404, false],
  [429, false],
  [502, false],
  [503, false],
])('[TALK73] an answer with %i: the way is open is %s', async (status, isOpen) => {
  expect(await asked(async () => new Response(null, { status })).isOpen).toBe(isOpen);
});

test('[TALK73] a proxy that sends to its sign-in is a way that is open, wherever that is', async () => {
  const { fetch, isOpen } = asked(async () => ({ ok: false, status: 0, type: 'opaqueredirect' }) as Response);
  expect(await isOpen).toBe(true);
  expect(fetch.mock.calls[0]?.[1]?.redirect, 'followed, it would be refused by the other origin').toBe('manual');
});

test('[TALK73] no answer is none, and no exception', async () => {
  expect(await asked(() => Promise.reject(new TypeError('Failed to fetch'))).isOpen).toBe(false);
});
