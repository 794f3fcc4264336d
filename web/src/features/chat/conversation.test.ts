import { TYPING_MS } from '@pressel/contract/limits';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CHANNEL, ME, messageOf, OTHER } from '#test/chat-bench.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { createTyping, TELL_MS } from './conversation.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start() {
  const realtime = createRealtimeDouble();
  const send = vi.spyOn(realtime, 'send');
  const typing = createTyping({ realtime, channelId: CHANNEL, userId: ME });
  const tell = (userId: typeof ME, name: string) =>
    realtime.tell('typingResponse', { channelId: CHANNEL, userId, name });
  return { realtime, send, typing, tell };
}

test('[CHATS12] that somebody types is told once a second at most', () => {
  const { typing, send } = start();
  for (let key = 0; key < 30; key += 1) {
    typing.typed();
    vi.advanceTimersByTime(TELL_MS / 10);
  }
  expect(send.mock.calls.map(([event]) => event)).toEqual(['typing', 'typing', 'typing']);
});

test('[CHATS12] it is shown for 3 s, and until their message comes', () => {
  const { typing, tell, realtime } = start();
  tell(OTHER, 'Noé');
  tell(ME, 'Moi');
  expect(typing.getSnapshot()).toEqual(['Noé']);
  vi.advanceTimersByTime(TYPING_MS - 1);
  tell(OTHER, 'Noé');
  vi.advanceTimersByTime(TYPING_MS - 1);
  expect(typing.getSnapshot()).toEqual(['Noé']);
  vi.advanceTimersByTime(1);
  expect(typing.getSnapshot()).toEqual([]);
  tell(OTHER, 'Noé');
  realtime.tell('messageResponse', messageOf(1));
  expect(typing.getSnapshot()).toEqual([]);
});
