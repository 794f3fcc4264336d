import type { ChannelId, UserId } from '@pressel/contract/ids';
import { getChannelPositions, getMapSettings, lookUpPosition, type MemberPosition } from '@pressel/contract/positions';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createApiDouble } from '#test/api-double.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sampleId } from '#test/samples.ts';
import { createPositionsFeed } from './positions-feed.ts';

const CHANNEL = sampleId(100) as ChannelId;
const id = (n: number) => sampleId(n) as UserId;
const news = (n: number) => ({
  ...{ userId: id(n), lat: 48, lng: 2, accuracy: null, recordedAt: '2026-11-22T10:00:00.000Z', ageMs: 0 },
});
const row = (n: number): MemberPosition => ({
  ...news(n),
  ...{ display_name: `Membre ${n}`, pseudo: '', userActivities: [] },
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function open(answers: readonly (readonly MemberPosition[])[]) {
  const api = createApiDouble();
  const realtime = createRealtimeDouble();
  let asked = 0;
  api.on(getMapSettings, () => ({ success: true, styleUrl: null, center: [0, 0] }));
  api.on(getChannelPositions, ({ userIds }) => ({
    success: true,
    res: userIds === undefined ? [] : [...(answers[asked++] ?? [])],
  }));
  const feed = createPositionsFeed({ api, realtime, channelId: CHANNEL, now: () => 0, onFrame: (act) => act() });
  await vi.advanceTimersByTimeAsync(0);
  expect(feed.getSnapshot()).toMatchObject({ state: 'ready', known: 0 });
  return { feed, realtime, api, asked: () => asked };
}

test('[POS5] who is heard of before their position is stored is asked for again', async () => {
  const { feed, realtime, asked } = await open([[], [row(1)]]);
  realtime.tell('onLocationChanged', news(1));
  await vi.advanceTimersByTimeAsync(1_000);
  expect([asked(), feed.positions.people().size]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([asked(), feed.positions.people().size]).toEqual([2, 1]);
  expect(feed.getSnapshot()).toMatchObject({ known: 1 });
});

test('who is no member of the channel is asked for twice, however often they move', async () => {
  const { feed, realtime, asked } = await open([]);
  for (let turn = 0; turn < 60; turn += 1) {
    realtime.tell('onLocationChanged', news(1));
    realtime.tell('onLocationChanged', news(2));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect([asked(), feed.positions.people().size]).toEqual([2, 0]);
});

const did = (type: 'channel_join' | 'channel_leave' | 'message_send'): MemberPosition => ({
  ...row(1),
  userActivities: [{ id: sampleId(900), type, createdAt: '2026-11-22T10:00:00.000Z', channel: { name: 'Nord' } }],
});

test('[POS23] who is looked at is read again: at once, as they enter or leave, and every ten seconds', async () => {
  const left = did('channel_leave');
  const { feed, asked } = await open([[left], [did('channel_join')], [did('message_send')], [left]]);
  const activity = () => feed.positions.people().get(id(1))?.activity?.type;
  const stop = feed.follow(id(1));
  await vi.advanceTimersByTimeAsync(0);
  expect([asked(), activity()]).toEqual([1, 'channel_leave']);
  await vi.advanceTimersByTimeAsync(2_000);
  feed.positions.setParticipants([{ userId: id(1), name: 'Membre 1', isTalking: false }]);
  await vi.advanceTimersByTimeAsync(0);
  expect([asked(), activity()]).toEqual([2, 'channel_join']);
  feed.positions.setParticipants([{ userId: id(1), name: 'Membre 1', isTalking: true }]);
  await vi.advanceTimersByTimeAsync(7_999);
  expect(asked()).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  expect([asked(), activity()]).toEqual([3, 'message_send']);
  stop();
  feed.positions.setParticipants([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked()).toBe(3);
});

test('[POS23] nobody is read again while the page is not seen; once when it is shown again', async () => {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  onTestFinished(() => hidden.mockRestore());
  const { feed, asked } = await open([]);
  const stop = feed.follow(id(1));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked()).toBe(0);
  hidden.mockReturnValue(false);
  document.dispatchEvent(new Event('visibilitychange'));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(asked()).toBe(1);
  stop();
});

test('[POS8] what is answered after the right was taken away is not kept', async () => {
  const { feed, realtime } = await open([[row(1)]]);
  const stop = feed.follow(id(1));
  realtime.tell('map_right', { mapRight: false });
  await vi.advanceTimersByTimeAsync(0);
  expect([feed.getSnapshot().state, feed.positions.people().size]).toEqual(['forbidden', 0]);
  stop();
});

test('[POS8] the list and a look-up that were asked for before the right was taken away are not shown', async () => {
  const { feed, realtime, api } = await open([]);
  const list = Promise.withResolvers<void>();
  api.on(getChannelPositions, async () => {
    await list.promise;
    return { success: true, res: [row(1)] };
  });
  api.on(lookUpPosition, async () => {
    await list.promise;
    return { success: true, res: row(1) };
  });
  realtime.tell('changed', { what: 'memberships' });
  await vi.advanceTimersByTimeAsync(2_000);
  const looked = feed.lookUp(id(1));
  realtime.tell('map_right', { mapRight: false });
  list.resolve();
  await looked;
  await vi.advanceTimersByTimeAsync(0);
  expect([feed.getSnapshot().state, feed.positions.people().size]).toEqual(['forbidden', 0]);
});

test('nothing is asked for after the end', async () => {
  const { feed, realtime, asked } = await open([[row(1)]]);
  realtime.tell('onLocationChanged', news(1));
  feed.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked()).toBe(0);
});
