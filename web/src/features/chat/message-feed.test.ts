import { getChannelMessages, type Message } from '@pressel/contract/chat';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '#src/shared/api/api-error.ts';
import { createStorage, memoryArea } from '#src/shared/storage.ts';
import { createApiDouble } from '#test/api-double.ts';
import { CHANNEL, createStoredChannel, ME, messageOf } from '#test/chat-bench.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { createMessageFeed } from './message-feed.ts';
import { messageRows } from './message-rows.ts';
import { HELD_MAX } from './message-window.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A tab's storage, which outlives the panel. */
const tab = () => createStorage({ local: memoryArea(), session: memoryArea() });

async function open(count: number, readUpTo = count, storage = tab()) {
  const channel = createStoredChannel(count);
  channel.readUpTo = readUpTo;
  const api = createApiDouble();
  api.on(getChannelMessages, channel.answer);
  const realtime = createRealtimeDouble();
  const feed = createMessageFeed({ api, realtime, storage, channelId: CHANNEL, userId: ME });
  await settle();
  return {
    channel,
    api,
    feed,
    numbers: () => feed.getSnapshot().window.messages.map(({ number }) => number),
    snapshot: feed.getSnapshot,
    asked: () => api.inputs(getChannelMessages).map(({ channelId: _, ...where }) => where),
    tell: (message: Message) => realtime.tell('messageResponse', message),
    tellDeleted: (message: Message) => {
      channel.messages.delete(message.number);
      const { id, number } = message;
      realtime.tell('room message changed', { channelId: CHANNEL, id, number, deleted: true });
    },
  };
}

const settle = () => vi.advanceTimersByTimeAsync(0);
const span = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

test('[CHATS1] the newest page comes first, older ones when they are asked for, each once', async () => {
  const { feed, numbers, asked, snapshot } = await open(120);
  expect(numbers()).toEqual(span(71, 120));
  feed.loadOlder();
  feed.loadOlder();
  await settle();
  expect(numbers()).toEqual(span(21, 120));
  feed.loadOlder();
  await settle();
  expect(numbers()).toEqual(span(1, 120));
  expect(snapshot().window.hasOlder).toBe(false);
  feed.loadOlder();
  await settle();
  expect(asked()).toEqual([{}, { before: 71 }, { before: 21 }]);
});

test('[CHATS2] messages that come live stand in the order of their numbers, whatever their order of coming', async () => {
  const { channel, tell, numbers } = await open(3);
  const [four, five, six] = [4, 5, 6].map((number) => channel.add(messageOf(number))) as [Message, Message, Message];
  tell(six);
  tell(five);
  expect(numbers()).toEqual([1, 2, 3]);
  tell(four);
  expect(numbers()).toEqual([1, 2, 3, 4, 5, 6]);
  tell(five);
  expect(numbers()).toEqual([1, 2, 3, 4, 5, 6]);
});

test('[CHATS2] what comes fast is told together: the first at once, all others by the end of fifty milliseconds', async () => {
  const { channel, tell, feed, numbers } = await open(3);
  await vi.advanceTimersByTimeAsync(1_000);
  const told: (number | undefined)[] = [];
  feed.subscribe(() => told.push(numbers().at(-1)));
  for (const number of span(4, 63)) tell(channel.add(messageOf(number)));
  expect(told).toEqual([4]);
  await vi.advanceTimersByTimeAsync(50);
  expect(told).toEqual([4, 63]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told).toHaveLength(2);
});

test('[CHATS2] what is missing before a message is read when it does not come', async () => {
  const { channel, tell, numbers, asked } = await open(3);
  const [, , six] = [4, 5, 6].map((number) => channel.add(messageOf(number)));
  tell(six as Message);
  await vi.advanceTimersByTimeAsync(299);
  expect(numbers()).toEqual([1, 2, 3]);
  await vi.advanceTimersByTimeAsync(1);
  expect(numbers()).toEqual([1, 2, 3, 4, 5, 6]);
  expect(asked().at(-1)).toEqual({ after: 3, limit: 200 });
});

test('[CHATS2] a message that comes while the first page is read is not lost and not doubled', async () => {
  const channel = createStoredChannel(2);
  const api = createApiDouble();
  const realtime = createRealtimeDouble();
  let answer: () => void = () => {};
  api.on(getChannelMessages, async (where) => {
    const page = channel.answer(where);
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return page;
  });
  const feed = createMessageFeed({ api, realtime, storage: tab(), channelId: CHANNEL, userId: ME });
  await settle();
  realtime.tell('messageResponse', channel.add(messageOf(3)));
  realtime.tell('messageResponse', messageOf(2));
  answer();
  await settle();
  expect(feed.getSnapshot().window.messages.map(({ number }) => number)).toEqual([1, 2, 3]);
});

test('[CHATS3] of a long channel a part is held; what was dropped is read again on the way back', async () => {
  const { feed, numbers, snapshot } = await open(2_000);
  for (let page = 0; page < 20; page += 1) {
    feed.loadOlder();
    await settle();
  }
  expect(numbers()).toEqual(span(951, 950 + HELD_MAX));
  expect(snapshot().window).toMatchObject({ hasOlder: true, hasNewer: true });
  feed.loadNewer();
  await settle();
  expect(numbers()).toEqual(span(1_001, 1_000 + HELD_MAX));
  feed.toNewest();
  await settle();
  expect(numbers()).toEqual(span(1_951, 2_000));
  expect(snapshot().window.hasNewer).toBe(false);
});

test('[CHATS3] new messages drop old ones only while the end is looked at', async () => {
  const { feed, channel, tell, numbers, snapshot } = await open(HELD_MAX + 100);
  while (numbers().length < HELD_MAX) {
    feed.loadOlder();
    await settle();
  }
  tell(channel.add(messageOf(HELD_MAX + 101)));
  expect([numbers()[0], numbers().at(-1)]).toEqual([102, HELD_MAX + 101]);
  feed.setAtEnd(false);
  tell(channel.add(messageOf(HELD_MAX + 102)));
  expect([numbers()[0], numbers().at(-1)]).toEqual([102, HELD_MAX + 101]);
  expect(snapshot().window).toMatchObject({ hasNewer: true, newest: HELD_MAX + 102 });
});

test('[CHATS3][CHATS13] over many live messages nothing grows, and further up they stand grouped as before', async () => {
  const { feed, channel, tell, snapshot, numbers } = await open(1);
  for (const number of span(2, 1_000)) tell(channel.add(messageOf(number, { createdAt: '2026-11-20T10:00:00.000Z' })));
  channel.readUpTo = 1_000;
  expect(numbers()).toHaveLength(HELD_MAX);
  const heads = () => {
    const { window, heads } = snapshot();
    const rows = messageRows({ window, heads, entries: [], userId: ME, newAfter: undefined });
    return rows.flatMap((row) => (row.kind === 'message' && row.isHead ? [row.message.number] : []));
  };
  const first = 1_000 - HELD_MAX + 1;
  expect([snapshot().heads.size, heads()]).toEqual([0, [first]]);
  // A row that lost its name would move the rows below.
  feed.loadOlder();
  await settle();
  expect(heads()).toEqual([first - 50, first]);
  for (let page = 0; page < 10; page += 1) {
    feed.loadOlder();
    await settle();
  }
  expect(snapshot().heads.size, 'of those that are held').toBe(HELD_MAX / 50 - 1);
});

test('[CHATS4] after a lost link what came and what went meanwhile is known', async () => {
  const { feed, channel, numbers, asked } = await open(5);
  feed.setLive(true);
  expect(asked()).toHaveLength(1);
  feed.setLive(false);
  channel.messages.delete(2);
  channel.messages.delete(5);
  channel.add(messageOf(6));
  feed.setLive(true);
  await settle();
  expect(numbers()).toEqual([1, 3, 4, 6]);
});

test('[CHATS4] a long absence is read in pages, as far as what was held', async () => {
  const { feed, channel, numbers, snapshot, asked } = await open(60);
  feed.setLive(true);
  feed.setLive(false);
  for (const number of span(61, 700)) channel.add(messageOf(number));
  feed.setLive(true);
  await settle();
  expect(numbers()).toEqual(span(11, 210));
  expect(snapshot().window).toMatchObject({ hasNewer: true, newest: 700 });
  expect(asked()).toHaveLength(2);
});

test('[CHATS5] a message that was deleted stays away, even when a page that was on its way names it', async () => {
  const { feed, channel, numbers, tellDeleted, tell } = await open(60);
  const twelve = channel.messages.get(12) as Message;
  feed.loadOlder();
  await settle();
  tellDeleted(twelve);
  expect(numbers()).not.toContain(12);
  channel.messages.set(12, twelve);
  feed.toMessage(12);
  await settle();
  expect(numbers()).not.toContain(12);
  tell(twelve);
  expect(numbers()).not.toContain(12);
});

test('[CHATS5] a message that is deleted before it came leaves no gap to wait for', async () => {
  const { channel, tell, tellDeleted, numbers, asked } = await open(3);
  const four = channel.add(messageOf(4));
  const five = channel.add(messageOf(5));
  tell(five);
  tellDeleted(four);
  expect(numbers()).toEqual([1, 2, 3, 5]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked()).toHaveLength(1);
});

test('[CHATS6] the line of new messages stands where reading stopped, and moves when somebody looks again', async () => {
  const { feed, channel, tell, snapshot } = await open(10, 7);
  expect(snapshot()).toMatchObject({ backlog: { after: 7 }, unread: 3 });
  feed.setRead(10, 0);
  expect(snapshot().backlog?.after).toBe(7);
  feed.endBacklog();
  feed.lookedAt();
  expect(snapshot().backlog).toBeUndefined();
  tell(channel.add(messageOf(11)));
  tell(channel.add(messageOf(12, { userId: ME })));
  expect(snapshot()).toMatchObject({ unread: 1, backlog: undefined });
  feed.lookedAt();
  expect(snapshot().backlog).toMatchObject({ after: 10, count: 1 });
});

test('[CHATS1][CHATS50] of more unread messages than a page holds, the newest are read, and when the first was written', async () => {
  const { numbers, snapshot, asked, feed } = await open(400, 100);
  expect(numbers()).toEqual(span(351, 400));
  expect(asked()).toEqual([{}, { after: 100 }]);
  const since = Date.parse(messageOf(101).createdAt);
  expect(snapshot()).toMatchObject({ backlog: { after: 100, count: 300, since }, isBacklogOpen: true });
  feed.toMessage(101);
  await settle();
  expect(numbers()).toContain(101);
  expect(snapshot().target?.number).toBe(101);
  // The whole page is unread, and the backlog begins there: nothing else is read.
  const page = await open(150, 100);
  expect([page.asked(), page.snapshot().backlog]).toEqual([[{}], { after: 100, count: 50, since }]);
});

test('[CHATS50] that the end was read takes no backlog away: only its beginning, or whoever wants none of it, does', async () => {
  const storage = tab();
  const first = await open(60, 30, storage);
  first.feed.setRead(60, 0);
  first.feed.lookedAt();
  expect(first.snapshot()).toMatchObject({ backlog: { after: 30, count: 30 }, isBacklogOpen: true });
  first.feed.close();
  // On a phone each panel is opened anew; messages that come meanwhile are added.
  const second = await open(64, 60, storage);
  expect(second.snapshot()).toMatchObject({ backlog: { after: 30, count: 34 }, isBacklogOpen: true });
  second.feed.endBacklog();
  expect(second.snapshot().isBacklogOpen).toBe(false);
  second.feed.close();
  expect((await open(64, 64, storage)).snapshot().backlog).toBeUndefined();
});

test('[CHATS9] a message whose image can no longer be had is read again once', async () => {
  const { feed, channel, asked, snapshot } = await open(3);
  const two = channel.messages.get(2) as Message;
  channel.messages.set(2, { ...two, textMsg: 'fresh' });
  feed.refresh(two);
  feed.refresh(two);
  await settle();
  expect(snapshot().window.messages[1]?.textMsg).toBe('fresh');
  expect(asked().slice(1)).toEqual([{ around: 2, limit: 1 }]);
});

test('[CHATS16] a message far away is shown among its neighbours', async () => {
  const { feed, numbers, snapshot } = await open(1_000);
  feed.toMessage(300);
  await settle();
  expect(numbers()).toContain(300);
  expect(snapshot().target).toMatchObject({ number: 300 });
  expect(snapshot().window).toMatchObject({ hasOlder: true, hasNewer: true });
});

test('what can not be read says so, and is read when the link is back or somebody asks', async () => {
  const channel = createStoredChannel(60);
  const api = createApiDouble();
  api.fail(getChannelMessages, new ApiError('unreachable'));
  const feed = createMessageFeed({
    api,
    realtime: createRealtimeDouble(),
    storage: tab(),
    channelId: CHANNEL,
    userId: ME,
  });
  feed.setLive(false);
  await settle();
  expect(feed.getSnapshot().state).toBe('failed');
  api.on(getChannelMessages, channel.answer);
  feed.setLive(true);
  await settle();
  expect(feed.getSnapshot().state).toBe('ready');
  api.fail(getChannelMessages, new ApiError('timeout'));
  feed.loadOlder();
  await settle();
  expect(feed.getSnapshot().failedSide).toBe('older');
  api.on(getChannelMessages, channel.answer);
  feed.retry();
  await settle();
  expect(feed.getSnapshot()).toMatchObject({ failedSide: undefined, window: { hasOlder: false } });
});

test('[CHATS7] a new message that is deleted is counted no more', async () => {
  const { channel, tell, tellDeleted, snapshot } = await open(3);
  const theirs = channel.add(messageOf(4));
  tell(theirs);
  tell(channel.add(messageOf(5)));
  expect(snapshot().unread).toBe(2);
  tellDeleted(theirs);
  tellDeleted(theirs);
  expect(snapshot().unread).toBe(1);
  tellDeleted(messageOf(2));
  expect(snapshot().unread, 'that one was read').toBe(1);
});

test('[CHATS7] new messages are counted once each, whatever their order of coming, while the end is not held', async () => {
  const { channel, tell, feed, snapshot } = await open(2_000);
  feed.toMessage(500);
  await settle();
  expect(snapshot().window.hasNewer).toBe(true);
  const [one, two, , four] = [2_001, 2_002, 2_003, 2_004].map((number) => channel.add(messageOf(number))) as Message[];
  for (const message of [two, one, two, one, four] as Message[]) tell(message);
  expect(snapshot().unread).toBe(3);
  expect(snapshot().window.newest).toBe(2_002);
  // The third message is read when the user goes there.
  await vi.advanceTimersByTimeAsync(300);
  expect(snapshot().window).toMatchObject({ hasNewer: true, newest: 2_004 });
  expect(snapshot().unread).toBe(3);
});
