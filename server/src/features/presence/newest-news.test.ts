import type { ChannelId, UserId } from '@pressel/contract/ids';
import type { StatusNews } from '@pressel/contract/presence';
import { expect, test } from 'vitest';
import { createNewestNews } from './newest-news.ts';

const NORD = 'nord' as ChannelId;
const SUD = 'sud' as ChannelId;
const patch = (name: string, connected: boolean) => ({ userId: name as UserId, connected, user_sockets: [] });
const newsOf = (more: Partial<StatusNews>): StatusNews => ({ channelId: null, users: [], rooms: [], ...more });

test('[PROC65] news are left out where something newer of the same was told, one by one', () => {
  const newest = createNewestNews(() => 0);
  const rooms = [
    { channelId: NORD, connected: 2 },
    { channelId: SUD, connected: 0 },
  ];
  expect(
    newest([10, 0], newsOf({ rooms: rooms.slice(0, 1), users: [patch('ana', true)], connected: 2 })),
  ).not.toBeNull();
  const older = newsOf({ rooms, users: [patch('ana', false), patch('bo', true)], connected: 1 });
  expect(newest([9, 0], older)).toEqual({ ...newsOf({ rooms: rooms.slice(1), users: [patch('bo', true)] }) });
  expect(newest([8, 0], older)).toBeNull();
});

test('[PROC65] of two that saw the same next transaction, the later one waited for fewer', () => {
  const newest = createNewestNews(() => 0);
  expect(newest([10, 1], newsOf({ users: [patch('ana', true)] }))).not.toBeNull();
  expect(newest([10, 2], newsOf({ users: [patch('ana', false)] }))).toBeNull();
  // A reading of the same moment again, and a later one.
  expect(newest([10, 1], newsOf({ users: [patch('ana', true)] }))).not.toBeNull();
  expect(newest([10, 0], newsOf({ users: [patch('ana', true)] }))).not.toBeNull();
});

test('[PROC65] what members of each channel are told counts by itself', () => {
  const newest = createNewestNews(() => 0);
  expect(newest([10, 0], newsOf({ users: [patch('ana', true)] }))).not.toBeNull();
  expect(newest([9, 0], newsOf({ channelId: NORD, users: [patch('ana', true)] }))).not.toBeNull();
  expect(newest([8, 0], newsOf({ channelId: NORD, users: [patch('ana', true)] }))).toBeNull();
});

test('[PROC65] a database that was put back is believed after a while', () => {
  let time = 0;
  const newest = createNewestNews(() => time);
  const news = newsOf({ users: [patch('ana', true)] });
  expect(newest([10, 0], news)).not.toBeNull();
  time = 25_000;
  expect(newest([3, 0], news)).toBeNull();
  time = 31_000;
  expect(newest([4, 0], news)).not.toBeNull();
});
