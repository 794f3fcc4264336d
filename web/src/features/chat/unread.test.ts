import { getUnreadCounts, type Message } from '@pressel/contract/chat';
import type { ChannelId } from '@pressel/contract/ids';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createApiDouble } from '#test/api-double.ts';
import { CHANNEL, ME, messageOf, newsOf } from '#test/chat-bench.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sampleId } from '#test/samples.ts';
import { createUnreadCounts } from './unread.ts';

const ELSEWHERE = sampleId(901) as ChannelId;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function start(isAdmin = false, first: { channelId: ChannelId; unread: number }[] = []) {
  const api = createApiDouble();
  let res = first;
  api.on(getUnreadCounts, () => ({ success: true, res }));
  const realtime = createRealtimeDouble();
  const unread = createUnreadCounts({ api, realtime, userId: ME, isAdmin: () => isAdmin });
  const told: string[] = [];
  unread.subscribe(CHANNEL, () => told.push(`here ${unread.count(CHANNEL)}`));
  unread.subscribe(ELSEWHERE, () => told.push(`elsewhere ${unread.count(ELSEWHERE)}`));
  await vi.advanceTimersByTimeAsync(0);
  return {
    realtime,
    told,
    reads: () => api.inputs(getUnreadCounts).length,
    answerWith: (next: typeof res) => {
      res = next;
    },
    news: (message: Message) => realtime.tell('onSendMessage', newsOf(message)),
  };
}

test('[CHATS15] counts are read once, follow the news, and tell those of the channel alone', async () => {
  const { news, told, reads, realtime } = await start(false, [{ channelId: CHANNEL, unread: 2 }]);
  news(messageOf(3));
  news(messageOf(4, { userId: ME }));
  news(messageOf(1, { channelId: ELSEWHERE }));
  realtime.tell('messages_read', { channelId: CHANNEL, readUpTo: 3, unread: 0 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual(['here 2', 'here 3', 'elsewhere 1', 'here 0']);
  expect(reads()).toBe(1);
});

test('[CHATS15] after a lost link they are read again', async () => {
  const { answerWith, realtime, told, reads } = await start(false, [{ channelId: CHANNEL, unread: 2 }]);
  answerWith([{ channelId: ELSEWHERE, unread: 5 }]);
  realtime.tell('ready', {});
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toEqual(['here 2', 'here 0', 'elsewhere 5']);
  expect(reads()).toBe(2);
});

test('[CHATS15] in a room a message counts by itself, without other news', async () => {
  const { realtime, told } = await start();
  realtime.tell('messageResponse', messageOf(1));
  realtime.tell('messageResponse', messageOf(2, { userId: ME }));
  expect(told).toEqual(['here 1']);
});

test('[CHATS15] an administrator has no mark on a channel that they are no member of', async () => {
  const { news, told, reads, answerWith } = await start(true);
  answerWith([{ channelId: CHANNEL, unread: 1 }]);
  news(messageOf(1));
  news(messageOf(1, { channelId: ELSEWHERE }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told).toEqual(['here 1']);
  expect(reads()).toBe(2);
  news(messageOf(2));
  news(messageOf(2, { channelId: ELSEWHERE }));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told).toEqual(['here 1', 'here 2']);
  expect(reads()).toBe(2);
});

test('[CHATS15] a message that is deleted before anybody read it leaves no mark', async () => {
  const { answerWith, news, realtime, told, reads } = await start();
  const message = messageOf(1);
  news(message);
  answerWith([]);
  const { id, number } = message;
  realtime.tell('room message changed', { channelId: CHANNEL, id, number, deleted: true });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told).toEqual(['here 1', 'here 0']);
  realtime.tell('room message changed', { channelId: CHANNEL, id, number, deleted: true });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads(), 'where nothing is unread nothing is asked').toBe(2);
  news(messageOf(2));
  expect(told).toEqual(['here 1', 'here 0', 'here 1']);
});

test('[CHATS15] what is read while the counts are on their way stays read', async () => {
  const { answerWith, realtime, told } = await start();
  answerWith([{ channelId: CHANNEL, unread: 3 }]);
  realtime.tell('ready', {});
  answerWith([]);
  realtime.tell('messages_read', { channelId: CHANNEL, readUpTo: 3, unread: 0 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told).toEqual([]);
});
