import { expect, test } from 'vitest';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import type { RoomVideo, VideoSnapshot } from '#src/features/voice/engine/video.ts';
import { camilleTalks, people, person, roomSnapshot } from '#test/fake-room-session.ts';
import { roomAttention } from './room-attention.ts';

const NO_PICTURES: VideoSnapshot = {
  camera: { state: 'off' },
  cameras: [],
  screen: 'off',
  own: null,
  pictures: new Map(),
};

const attentionIn = (change: Partial<RoomSnapshot> = {}, { isHidden = false, video = NO_PICTURES } = {}) =>
  roomAttention(
    { getSnapshot: () => roomSnapshot(change), video: { getSnapshot: () => video } as unknown as RoomVideo },
    isHidden,
  );

test('[APP15] in a room where nobody talks a reload is acceptable', () => {
  expect(attentionIn()).toBe('none');
  expect(attentionIn({ talk: { state: 'unheard' } })).toBe('none');
});

test.each<RoomSnapshot['talk']>([
  { state: 'asking', since: 0, open: true, late: false },
  { state: 'talking', since: 0, endsAt: 1 },
  { state: 'ending', since: 0 },
  { state: 'queued', since: 0, position: 1, size: 1 },
  { state: 'denied', reason: 'taken', talkerName: undefined },
  { state: 'revoked', reason: 'time_limit', byName: undefined },
])('[APP15] not while the own press is $state', (talk) => {
  expect(attentionIn({ talk })).toBe('working');
});

test('[APP15] not while others talk or wait, nor with missed talks that nobody has read', () => {
  expect(attentionIn(camilleTalks())).toBe('listening');
  expect(attentionIn({ participants: [...people(1), person(1, { queuePosition: 1 })] })).toBe('listening');
  expect(attentionIn({ missed: { count: 1, names: ['Camille'] } })).toBe('listening');
});

test('[APP15] not where the browser might hold back the sound afterwards, unless it does so already', () => {
  const microphone = { state: 'unavailable', reason: 'refused' } as const;
  expect(attentionIn({ microphone })).toBe('listening');
  expect(attentionIn({}, { isHidden: true })).toBe('listening');
  expect(attentionIn({ microphone, playback: 'blocked' }, { isHidden: true })).toBe('none');
});

test('[APP15] not while a picture is shown or a screen chosen', () => {
  const own = { track: {} as MediaStreamTrack, shows: 'camera' } as const;
  expect(attentionIn({}, { video: { ...NO_PICTURES, own } })).toBe('working');
  expect(attentionIn({}, { video: { ...NO_PICTURES, screen: 'asking' } })).toBe('working');
});

test('[APP15] a room that is over holds nobody', () => {
  expect(attentionIn({ ...camilleTalks(), status: { state: 'closed', reason: 'removed' } })).toBe('none');
});
