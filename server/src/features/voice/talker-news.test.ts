import type { ChannelId, UserId } from '@pressel/contract/ids';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Addressees } from '#src/platform/sockets.ts';
import { createTalkerNews } from './talker-news.ts';

const nord = '01890000-0000-7000-8000-000000000001' as ChannelId;
const sud = '01890000-0000-7000-8000-000000000002' as ChannelId;
const ana = { userId: '01890000-0000-7000-8000-00000000000a' as UserId, name: 'Ana', since: 1 };
const bo = { userId: '01890000-0000-7000-8000-00000000000b' as UserId, name: 'Bo', since: 1 };

let told: unknown[];
let news: ReturnType<typeof createTalkerNews>;
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  const addressees = { except: () => addressees, emit: (_, payload) => void told.push(payload) } as Addressees;
  news = createTalkerNews({ to: () => addressees });
});
afterEach(() => {
  news.close();
  vi.useRealTimers();
});

test('[TALK32] those outside are told at most every 0.3 s, who talks then; nothing of what came and went', () => {
  news.set(nord, [ana], []);
  news.set(nord, [], [ana]);
  news.set(sud, [ana], []);
  news.set(sud, [bo], [ana]);
  expect(told, 'the floor waits for none of it').toEqual([]);
  vi.advanceTimersByTime(300);
  expect(told).toEqual([{ channelId: sud, talkers: [{ userId: bo.userId, name: 'Bo' }] }]);
  news.set(sud, [], [bo]);
  vi.advanceTimersByTime(300);
  expect(told.at(-1)).toEqual({ channelId: sud, talkers: [] });
  news.set(nord, [ana], []);
  news.close();
  vi.advanceTimersByTime(300);
  expect(told).toHaveLength(2);
});

test('[TALK32] the end of a talk is told by a process that did not tell of its beginning', () => {
  news.set(nord, [], [ana]);
  vi.advanceTimersByTime(300);
  expect(told).toEqual([{ channelId: nord, talkers: [] }]);
});
