import { getChannelMessages, getUnreadCounts, type Message, sendMessage } from '@pressel/contract/chat';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStorage, memoryArea } from '#src/shared/storage.ts';
import { createApiDouble } from '#test/api-double.ts';
import { CHANNEL, createStoredChannel, ME, messageOf } from '#test/chat-bench.ts';
import { setUpDatabase } from '#test/fake-database.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { createMessageFeed } from './message-feed.ts';
import { messageRows } from './message-rows.ts';
import { HELD_MAX } from './message-window.ts';
import { createOutbox } from './outbox.ts';
import { openOutboxStore } from './outbox-store.ts';
import { createUnreadCounts } from './unread.ts';

setUpDatabase();
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => vi.useRealTimers());

const HOURS = 12;
const STEP_S = 60;
const RECONNECT_S = 600;
/** Lets the database, which uses other timers, finish its work; then time passes. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await vi.advanceTimersByTimeAsync(STEP_S * 1_000);
}

/**
 * A page in a busy channel: one message of others per second, an own one per minute, and a lost link every ten minutes.
 */
function openPage() {
  const channel = createStoredChannel(1);
  const api = createApiDouble();
  const realtime = createRealtimeDouble();
  const session = memoryArea();
  const say = (part: Parameters<typeof messageOf>[1] = {}): Message => {
    const message = channel.add(messageOf(channel.newest + 1, { createdAt: '2026-11-20T10:00:00.000Z', ...part }));
    channel.readUpTo = message.number;
    // The server has all of them, and a page asks for no more than those.
    channel.messages.delete(message.number - 2 * HELD_MAX);
    return message;
  };
  api.on(getChannelMessages, channel.answer);
  api.on(getUnreadCounts, () => ({ success: true, res: [] }));
  api.on(sendMessage, ({ message, clientId }) => ({
    success: true,
    message: say({ textMsg: message, userId: ME, ...(clientId && { clientId }) }),
  }));
  const feed = createMessageFeed({
    ...{ api, realtime, channelId: CHANNEL, userId: ME },
    storage: createStorage({ local: memoryArea(), session: memoryArea() }),
  });
  const unread = createUnreadCounts({ api, realtime, userId: ME, isAdmin: () => false });
  const tabs = {
    exclusive: (_: string, act: () => Promise<void>) => act(),
    post() {},
    on: () => () => undefined,
    close() {},
  };
  const store = openOutboxStore({ journal: createStorage({ local: memoryArea(), session }) });
  const outbox = createOutbox({ api, realtime, userId: ME, store, tabs });
  outbox.onSent(feed.receive);
  return {
    ...{ channel, feed, outbox, realtime, session, store },
    say,
    close() {
      for (const one of [feed, unread, outbox]) one.close();
    },
  };
}

test('a page that stands for twelve hours holds no more at their end than after the first', async () => {
  const page = openPage();
  const { feed, outbox, realtime, session, store } = page;
  await settle();
  const held = () => {
    const { window, heads } = feed.getSnapshot();
    const rows = messageRows({ window, heads, entries: [], userId: ME, newAfter: undefined });
    return {
      messages: window.messages.length,
      heads: heads.size,
      // A name appears each time that somebody else writes, as in the first hour.
      named: rows.filter((row) => row.kind === 'message' && row.isHead).length,
      waiting: outbox.getSnapshot().entries.length,
      journal: session.length,
      timers: vi.getTimerCount(),
      isLasting: store.isLasting(),
    };
  };
  let afterAnHour: ReturnType<typeof held> | undefined;
  for (let second = 0; second < HOURS * 3_600; second += STEP_S) {
    for (let passed = 0; passed < STEP_S; passed += 1) realtime.tell('messageResponse', page.say());
    outbox.send({ channelId: CHANNEL, channelName: 'Nord', text: 'Reçu' });
    await settle();
    if (second % RECONNECT_S === 0) {
      realtime.setLink('down');
      feed.setLive(false);
      realtime.setLink('up');
      feed.setLive(true);
      realtime.tell('ready', {});
      await settle();
    }
    if (second === 3_600) afterAnHour = held();
  }
  const { timers, ...atTheEnd } = held();
  expect(atTheEnd).toEqual({ ...afterAnHour, timers: undefined });
  expect(timers).toBeLessThanOrEqual(afterAnHour?.timers ?? 0);
  expect(afterAnHour).toMatchObject({ messages: HELD_MAX, heads: 0, waiting: 0, journal: 0, isLasting: true });
  page.close();
  expect((await store.list(ME)).items).toEqual([]);
});
