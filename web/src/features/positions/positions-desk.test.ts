import type { ChannelId, UserId } from '@pressel/contract/ids';
import { getChannelPositions, getMapSettings, type MemberPosition } from '@pressel/contract/positions';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createApiDouble } from '#test/api-double.ts';
import { createRealtimeDouble } from '#test/realtime-double.ts';
import { sampleId } from '#test/samples.ts';
import { createPositionsDesk } from './positions-desk.ts';

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
  const desk = createPositionsDesk({ api, realtime, channelId: CHANNEL, now: () => 0, onFrame: (act) => act() });
  await vi.advanceTimersByTimeAsync(0);
  expect(desk.getSnapshot()).toMatchObject({ state: 'ready', known: 0 });
  return { desk, realtime, asked: () => asked };
}

test('[POS5] who is heard of before their position is stored is asked for again', async () => {
  const { desk, realtime, asked } = await open([[], [row(1)]]);
  realtime.tell('onLocationChanged', news(1));
  await vi.advanceTimersByTimeAsync(1_000);
  expect([asked(), desk.book.people().size]).toEqual([1, 0]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([asked(), desk.book.people().size]).toEqual([2, 1]);
  expect(desk.getSnapshot()).toMatchObject({ known: 1 });
});

test('who is no member of the channel is asked for twice, however often they move', async () => {
  const { desk, realtime, asked } = await open([]);
  for (let turn = 0; turn < 60; turn += 1) {
    realtime.tell('onLocationChanged', news(1));
    realtime.tell('onLocationChanged', news(2));
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect([asked(), desk.book.people().size]).toEqual([2, 0]);
});

test('nothing is asked for after the end', async () => {
  const { desk, realtime, asked } = await open([[row(1)]]);
  realtime.tell('onLocationChanged', news(1));
  desk.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked()).toBe(0);
});
