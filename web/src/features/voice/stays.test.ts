import { expect, test } from 'vitest';
import { createFakeVoiceRoom, fakeStay, person, roomSnapshot } from '#test/fake-voice-room.ts';
import type { RoomVideo } from './engine/video-types.ts';
import { createStays, hereOf, type Stay } from './stays.ts';

/** The room of a channel with this address. */
function roomOf(rtcSession: string) {
  const { channel } = roomSnapshot();
  return roomSnapshot({ channel: channel && { ...channel, rtcSession } });
}

const createVideoDouble = (): RoomVideo => ({
  getSnapshot: () => ({ camera: { state: 'off' }, cameras: [], screen: 'off', own: null, pictures: new Map() }),
  subscribe: () => () => undefined,
  setCamera: () => undefined,
  selectCamera: () => undefined,
  shareScreen: async () => undefined,
  stopSharing: () => undefined,
});

/** Visits that tell what became of them. */
function createVisits() {
  const rooms = new Map<string, ReturnType<typeof createFakeVoiceRoom>>();
  const opened: string[] = [];
  const open = (roomKey: string): Stay => {
    opened.push(roomKey);
    const fake = createFakeVoiceRoom(roomOf(roomKey));
    rooms.set(roomKey, fake);
    return fakeStay(fake.room);
  };
  return { open, opened, room: (roomKey: string) => rooms.get(roomKey) };
}

test('[TALK110] who enters a room again, whoever asks, is in it still', () => {
  const stays = createStays();
  const visits = createVisits();
  const stay = stays.enter('Nord', visits.open);
  expect(stays.enter('Nord', visits.open)).toBe(stay);
  expect(stays.getSnapshot()).toBe(stay);
  expect(visits.opened).toEqual(['Nord']);
});

test('[VID1] the same room by the video view is another stay, and so is the way back', () => {
  const stays = createStays();
  const visits = createVisits();
  const radio = stays.enter('Nord', visits.open);
  const openVideo = (roomKey: string): Stay => {
    const stay = visits.open(roomKey);
    return { ...stay, room: { ...stay.room, video: createVideoDouble() } };
  };
  const video = stays.enter('Nord', openVideo, true);
  expect(video).not.toBe(radio);
  expect(stays.enter('Nord', openVideo, true)).toBe(video);
  expect(stays.enter('Nord', visits.open)).not.toBe(video);
  expect(visits.opened).toEqual(['Nord', 'Nord', 'Nord']);
});

test('[TALK110] another room is entered when this one is left', () => {
  const stays = createStays();
  const visits = createVisits();
  let news = 0;
  stays.subscribe(() => {
    news += 1;
  });
  stays.enter('Nord', visits.open);
  const south = stays.enter('Sud', visits.open);
  expect(visits.room('Nord')?.calls).toContain('close');
  expect(stays.getSnapshot()).toBe(south);
  stays.leave();
  expect(visits.room('Sud')?.calls).toContain('close');
  expect(stays.getSnapshot()).toBeUndefined();
  expect(news).toBe(3);
});

test('a room that was renamed is the one of its new address, and no longer of its old one', () => {
  const stays = createStays();
  const visits = createVisits();
  const stay = stays.enter('Nord', visits.open);
  visits.room('Nord')?.show(roomOf('Est'));
  expect(stays.enter('Est', visits.open)).toBe(stay);
  expect(stays.enter('Nord', visits.open)).not.toBe(stay);
});

test('a room that ended the visit is entered anew', () => {
  const stays = createStays();
  const visits = createVisits();
  const stay = stays.enter('Nord', visits.open);
  visits.room('Nord')?.show(roomSnapshot({ status: { state: 'closed', reason: 'removed' } }));
  expect(stays.enter('Nord', visits.open)).not.toBe(stay);
});

test('[LIST20] lists are told which room one is in and who talks there, and nothing twice', () => {
  const stays = createStays();
  const visits = createVisits();
  const here = hereOf(stays);
  let told = 0;
  const leave = here.subscribe(() => {
    told += 1;
  });
  expect(here.getSnapshot()).toBeUndefined();
  stays.enter('Nord', visits.open);
  const { channel } = roomOf('Nord');
  expect(here.getSnapshot()).toEqual({ channelId: channel?.id, talkers: [] });
  const before = here.getSnapshot();
  expect(here.getSnapshot()).toBe(before);
  const talker = person(2, { isTalking: true });
  visits.room('Nord')?.show({ ...roomOf('Nord'), participants: [person(1), talker] });
  expect(here.getSnapshot()?.talkers).toEqual([{ userId: talker.userId, name: talker.name }]);
  stays.leave();
  expect(here.getSnapshot()).toBeUndefined();
  expect(told).toBe(3);
  leave();
});
