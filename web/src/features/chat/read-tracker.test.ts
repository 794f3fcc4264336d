import { markMessagesRead } from '@pressel/contract/chat';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { createApiDouble } from '#test/api-double.ts';
import { CHANNEL } from '#test/chat-bench.ts';
import { COLLECT_MS, createReadTracker, LOOK_MS, withoutRange, withRange } from './read-tracker.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start() {
  const api = createApiDouble();
  api.on(markMessagesRead, ({ to }) => ({ success: true, readUpTo: to, unread: 0 }));
  const read: number[] = [];
  const tracker = createReadTracker({ api, channelId: CHANNEL, onRead: (readUpTo) => read.push(readUpTo) });
  tracker.setLive(true);
  return { api, tracker, read, sent: () => api.inputs(markMessagesRead).map(({ from, to }) => [from, to]) };
}

const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('[CHATS10] what was on the screen for half a second is read, in one range', async () => {
  const { tracker, sent, read } = start();
  tracker.show({ from: 5, to: 9 });
  await wait(LOOK_MS + COLLECT_MS);
  expect(sent()).toEqual([[5, 9]]);
  expect(read).toEqual([9]);
});

test('[CHATS10] what flies past while somebody scrolls is not read', async () => {
  const { tracker, sent } = start();
  for (let from = 100; from > 20; from -= 10) {
    tracker.show({ from, to: from + 9 });
    await wait(LOOK_MS - 100);
  }
  tracker.show(undefined);
  await wait(10_000);
  expect(sent()).toEqual([]);
});

test('[CHATS10] what stays while new messages come below is read, however many come', async () => {
  const { tracker, sent } = start();
  for (let to = 10; to < 20; to += 1) {
    tracker.show({ from: to - 5, to });
    await wait(100);
  }
  await wait(COLLECT_MS);
  const [first] = sent();
  expect(first?.[0]).toBeLessThanOrEqual(10);
  await wait(10_000);
  expect(sent().at(-1)?.[1]).toBe(19);
});

test('[CHATS11] what was sent is not sent again', async () => {
  const { tracker, sent } = start();
  tracker.show({ from: 5, to: 9 });
  await wait(LOOK_MS + COLLECT_MS);
  tracker.show({ from: 3, to: 7 });
  await wait(LOOK_MS * 2 + COLLECT_MS);
  tracker.show({ from: 5, to: 9 });
  await wait(10_000);
  expect(sent()).toEqual([
    [5, 9],
    [3, 4],
  ]);
});

test('[CHATS11] without a link marks are kept, and sent when it is back', async () => {
  const { tracker, api, sent } = start();
  tracker.setLive(false);
  tracker.show({ from: 1, to: 3 });
  await wait(10_000);
  expect(sent()).toEqual([]);
  api.fail(markMessagesRead, new ApiError('unreachable'));
  tracker.setLive(true);
  await wait(COLLECT_MS);
  api.on(markMessagesRead, ({ to }) => ({ success: true, readUpTo: to, unread: 0 }));
  await wait(10_000);
  expect(sent()).toEqual([
    [1, 3],
    [1, 3],
  ]);
});

test('[CHATS11] what is refused is not asked again; what is left goes when the panel closes', async () => {
  const { tracker, api, sent } = start();
  api.fail(markMessagesRead, new ApiError('not_a_member'));
  tracker.show({ from: 1, to: 3 });
  await wait(60_000);
  expect(sent()).toEqual([[1, 3]]);
  tracker.show({ from: 4, to: 6 });
  await wait(LOOK_MS);
  tracker.close();
  await wait(60_000);
  expect(sent()).toEqual([
    [1, 3],
    [4, 6],
  ]);
});

test('ranges that touch become one; taking out leaves both sides', () => {
  expect(withRange([{ from: 1, to: 3 }], { from: 4, to: 6 })).toEqual([{ from: 1, to: 6 }]);
  expect(withRange([{ from: 8, to: 9 }], { from: 1, to: 3 })).toEqual([
    { from: 1, to: 3 },
    { from: 8, to: 9 },
  ]);
  expect(withoutRange([{ from: 1, to: 9 }], { from: 3, to: 4 }, { from: 9, to: 9 })).toEqual([
    { from: 1, to: 2 },
    { from: 5, to: 8 },
  ]);
});

test('[CHATS11] what the server put off is sent later, and not before it said', async () => {
  const { api, tracker, read } = start();
  const answers = [new ApiError('too_many', { retryAfterSeconds: 20 }), new ApiError('too_slow')];
  api.on(markMessagesRead, ({ to }) => {
    const failure = answers.shift();
    if (failure !== undefined) throw failure;
    return { success: true, readUpTo: to, unread: 0 };
  });
  tracker.show({ from: 5, to: 9 });
  await wait(LOOK_MS + COLLECT_MS + 19_000);
  expect(api.inputs(markMessagesRead)).toHaveLength(1);
  await wait(30_000);
  expect(read).toEqual([9]);
});
