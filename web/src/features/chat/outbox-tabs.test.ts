import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ASK_MS, browserTabs } from './outbox-tabs.ts';

/** The locks and channels of one browser, whose tabs may sleep. */
function createBrowser() {
  const channels = new Set<EventTarget>();
  const asleep = new Set<EventTarget>();
  const queues = new Map<string, Promise<unknown>>();
  const made: EventTarget[] = [];
  const posted: unknown[] = [];
  class Channel extends EventTarget {
    constructor() {
      super();
      channels.add(this);
      made.push(this);
    }
    postMessage(data: unknown): void {
      posted.push(data);
      for (const one of channels) {
        if (one !== this && !asleep.has(one)) one.dispatchEvent(new MessageEvent('message', { data }));
      }
    }
    close(): void {
      channels.delete(this);
    }
  }
  vi.stubGlobal('BroadcastChannel', Channel);
  const request = (name: string, { signal }: { signal: AbortSignal }, act: () => Promise<void>) =>
    new Promise<void>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      const turn = (queues.get(name) ?? Promise.resolve()).then(() => (signal.aborted ? undefined : act()));
      queues.set(name, turn);
      turn.then(resolve, reject);
    });
  Object.defineProperty(navigator, 'locks', { configurable: true, value: { request } });
  return {
    /** How many messages any tab has posted, also one whose channel is closed. */
    posted: () => posted.length,
    open() {
      const tabs = browserTabs();
      const channel = made.at(-1) as EventTarget;
      return { tabs, sleep: () => void asleep.add(channel) };
    },
  };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  Reflect.deleteProperty(navigator, 'locks');
});

const never = () => new Promise<never>(() => undefined);

test('[CHATS26] a tab waits for its turn as long as the one before is awake, however long that takes', async () => {
  const browser = createBrowser();
  const [first, second] = [browser.open(), browser.open()];
  let end = (): void => undefined;
  void first.tabs.exclusive('channel', () => new Promise((resolve) => (end = resolve)));
  const act = vi.fn(async () => undefined);
  const turn = second.tabs.exclusive('channel', act);
  await vi.advanceTimersByTimeAsync(100 * ASK_MS);
  expect(act).not.toHaveBeenCalled();
  const asked = browser.posted();
  expect(asked).toBeGreaterThanOrEqual(100);
  end();
  await turn;
  expect(act).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(10 * ASK_MS);
  expect(browser.posted(), 'no tab asks after the turn').toBe(asked);
});

test('[CHATS26] one that sleeps with its turn holds nobody up for longer than ten seconds', async () => {
  const browser = createBrowser();
  const [first, second] = [browser.open(), browser.open()];
  void first.tabs.exclusive('channel', never);
  await vi.advanceTimersByTimeAsync(0);
  const act = vi.fn(async () => undefined);
  const turn = second.tabs.exclusive('channel', act);
  first.sleep();
  await vi.advanceTimersByTimeAsync(2 * ASK_MS - 1);
  expect(act).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await turn;
  expect(act).toHaveBeenCalledOnce();
});

test('[CHATS26] turns of other names are independent, and a fault in one ends it', async () => {
  const browser = createBrowser();
  const [first, second] = [browser.open(), browser.open()];
  void first.tabs.exclusive('one', never);
  const act = vi.fn(async () => undefined);
  await second.tabs.exclusive('another', act);
  await expect(second.tabs.exclusive('another', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  await second.tabs.exclusive('another', act);
  expect(act).toHaveBeenCalledTimes(2);
});

test('[CHATS26] where the browser refuses locks, messages are sent all the same', async () => {
  const { tabs } = createBrowser().open();
  Object.defineProperty(navigator, 'locks', {
    configurable: true,
    value: { request: () => Promise.reject(new DOMException('Not here', 'SecurityError')) },
  });
  const act = vi.fn(async () => undefined);
  await tabs.exclusive('channel', act);
  expect(act).toHaveBeenCalledOnce();
});

test('the store’s changes are told to the other tabs; a closed one waits for nothing', async () => {
  const browser = createBrowser();
  const [first, second] = [browser.open(), browser.open()];
  const changed = vi.fn();
  second.tabs.on(changed);
  first.tabs.post();
  expect(changed).toHaveBeenCalledOnce();
  void first.tabs.exclusive('channel', never);
  await vi.advanceTimersByTimeAsync(0);
  void second.tabs.exclusive('channel', async () => undefined);
  second.tabs.close();
  const posted = browser.posted();
  await vi.advanceTimersByTimeAsync(10 * ASK_MS);
  expect(browser.posted()).toBe(posted);
});
