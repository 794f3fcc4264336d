import type { ChannelId, UserId } from '@pressel/contract/ids';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Addressees } from '#src/sockets/sockets.ts';
import { createTalkerNews } from './talker-news.ts';

const nord = '01890000-0000-7000-8000-000000000001' as ChannelId;
const sud = '01890000-0000-7000-8000-000000000002' as ChannelId;
const ana = { userId: '01890000-0000-7000-8000-00000000000a' as UserId, name: 'Ana', since: 1 };
const bo = { userId: '01890000-0000-7000-8000-00000000000b' as UserId, name: 'Bo', since: 1 };

let told: unknown[];
let sockets: Parameters<typeof createTalkerNews>[0];
let news: ReturnType<typeof createTalkerNews>;
beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  const addressees = { except: () => addressees, emit: (_, payload) => void told.push(payload) } as Addressees;
  sockets = { to: () => addressees };
  news = createTalkerNews(sockets, null);
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

test('[PROC95] whichever of several processes tells last tells who talks by then', async () => {
  let talkers: (typeof ana)[] = [];
  const [first, second] = [0, 1].map(() => createTalkerNews(sockets, async () => talkers)) as [
    typeof news,
    typeof news,
  ];
  const change = (by: typeof news, now: typeof talkers) => {
    by.set(nord, now, talkers);
    talkers = now;
  };
  change(first, [ana]);
  await vi.advanceTimersByTimeAsync(100);
  change(second, [ana, bo]);
  await vi.advanceTimersByTimeAsync(100);
  change(first, [bo]);
  await vi.advanceTimersByTimeAsync(1_000);
  const onlyBo = { channelId: nord, talkers: [{ userId: bo.userId, name: 'Bo' }] };
  expect(told).toEqual([onlyBo, onlyBo]);
  first.close();
  second.close();
});

test('[PROC95] a process that is told of nothing new tells what it read of its own, and what it knows while nobody can read', async () => {
  const cluster = createTalkerNews(sockets, async () => {
    throw new Error('The database is away');
  });
  cluster.set(sud, [ana], [ana]);
  cluster.cameBack(sud);
  cluster.set(nord, [ana], []);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(told).toEqual([{ channelId: nord, talkers: [{ userId: ana.userId, name: 'Ana' }] }]);
  cluster.close();
});

test('[PROC95] a process that stops tells at once what waits, and what changes then', async () => {
  let talkers = [ana];
  const cluster = createTalkerNews(sockets, async () => talkers);
  cluster.set(nord, [ana], []);
  await cluster.stop();
  talkers = [];
  cluster.set(nord, [], [ana]);
  await vi.advanceTimersByTimeAsync(0);
  expect(told).toMatchObject([{ talkers: [{ name: 'Ana' }] }, { talkers: [] }]);
  cluster.close();
});

test('[TALK32] the end of a talk is told by a process that did not tell of its beginning', () => {
  news.set(nord, [], [ana]);
  vi.advanceTimersByTime(300);
  expect(told).toEqual([{ channelId: nord, talkers: [] }]);
});

test('[TALK32] rooms that change within a tenth of a second are told together, each within 0.3 s', async () => {
  const reads: { channelId: ChannelId; afterMs: number }[] = [];
  const changedAt = new Map<ChannelId, number>();
  const moments = new Set<number>();
  const cluster = createTalkerNews(sockets, async (channelId) => {
    moments.add(performance.now());
    reads.push({ channelId, afterMs: performance.now() - (changedAt.get(channelId) ?? 0) });
    return [ana];
  });
  for (let index = 0; index < 40; index += 1) {
    const room = `01890000-0000-7000-8000-0000000001${index}` as ChannelId;
    changedAt.set(room, performance.now());
    cluster.set(room, [ana], []);
    await vi.advanceTimersByTimeAsync(10);
  }
  await vi.advanceTimersByTimeAsync(300);
  expect(reads).toHaveLength(40);
  expect(told).toHaveLength(40);
  expect(Math.max(...reads.map(({ afterMs }) => afterMs))).toBeLessThanOrEqual(300);
  expect(Math.min(...reads.map(({ afterMs }) => afterMs))).toBeGreaterThanOrEqual(200);
  expect(moments.size, 'the reads of a moment are one statement').toBeLessThanOrEqual(5);
  cluster.close();
});
