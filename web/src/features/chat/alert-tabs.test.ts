import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ME, OTHER } from '#test/chat-bench.ts';
import { createAlertTabs } from './alert-tabs.ts';

/** The browser's locks, for all tabs: held until the callback's promise ends. */
function fakeLocks() {
  const held = new Map<string, number>();
  const request = async (name: string, options: LockOptions, act: (lock: object | null) => unknown) => {
    if (options.ifAvailable === true && held.has(name)) return act(null);
    held.set(name, (held.get(name) ?? 0) + 1);
    try {
      return await act({});
    } finally {
      const left = (held.get(name) ?? 1) - 1;
      if (left === 0) held.delete(name);
      else held.set(name, left);
    }
  };
  return { request, query: async () => ({ held: [...held.keys()].map((name) => ({ name })) }) };
}
const pageWith = (locks: object | undefined, hasBeenActive = true) =>
  ({ navigator: { ...(locks && { locks }), userActivation: { hasBeenActive } } }) as unknown as Window;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
const settle = () => vi.advanceTimersByTimeAsync(0);

test('[CHATS55] of five tabs one acts, and again only after the time given', async () => {
  const locks = fakeLocks();
  const tabs = Array.from({ length: 5 }, () => createAlertTabs(ME, pageWith(locks)));
  const act = vi.fn();
  for (const tab of tabs) tab.once('1', 1_000, act);
  await settle();
  expect(act).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(1_000);
  tabs[3]?.once('1', 1_000, act);
  await settle();
  expect(act).toHaveBeenCalledTimes(2);
});

test('[CHATS55] what is so in one tab all of the user’s know, until it ends or the tab is gone', async () => {
  const locks = fakeLocks();
  const [one, other, stranger] = [ME, ME, OTHER].map((id) => createAlertTabs(id, pageWith(locks)));
  const facts = async (n: string) => {
    await settle();
    let seen: string[] = [];
    other?.once(n, 0, (all) => {
      seen = [...all];
    });
    await settle();
    return seen;
  };
  stranger?.show(new Set(['theirs']));
  one?.show(new Set(['in sight', 'x']));
  expect(await facts('1')).toEqual(['in sight', 'x']);
  one?.show(new Set(['x']));
  expect(await facts('2')).toEqual(['x']);
  one?.close();
  expect(await facts('3')).toEqual([]);
});

test('[CHATS55] a tab that may make no sound yet lets one that may go first', async () => {
  const locks = fakeLocks();
  const [silent, touched] = [createAlertTabs(ME, pageWith(locks, false)), createAlertTabs(ME, pageWith(locks))];
  const acts: string[] = [];
  silent.once('1', 1_000, () => acts.push('silent'));
  touched.once('1', 1_000, () => acts.push('touched'));
  await vi.advanceTimersByTimeAsync(500);
  expect(acts).toEqual(['touched']);
  silent.once('2', 1_000, () => acts.push('silent'));
  await vi.advanceTimersByTimeAsync(500);
  expect(acts).toEqual(['touched', 'silent']);
});

test('[CHATS55] without locks, as on plain http, a tab goes by itself', async () => {
  const tab = createAlertTabs(ME, pageWith(undefined));
  const act = vi.fn();
  tab.show(new Set(['x']));
  tab.once('1', 0, act);
  await settle();
  expect([...(act.mock.calls[0]?.[0] ?? [])]).toEqual(['x']);
});
