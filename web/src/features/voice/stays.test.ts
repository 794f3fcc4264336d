import type { ChannelId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { createFakeVoiceRoom, fakeStay, person, roomSnapshot } from '#test/fake-voice-room.ts';
import type { RoomSnapshot } from './engine/types.ts';
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

const channelId = (number: number) => `00000000-0000-7000-8000-00000000000${number}` as ChannelId;

test('[ROOM50] rooms are entered beside each other, the first has the focus, and each is left by itself', () => {
  const stays = createStays();
  const visits = createVisits();
  const beside = (number: number) => {
    const channel = { ...(roomSnapshot().channel as NonNullable<RoomSnapshot['channel']>), id: channelId(number) };
    return stays.enterBeside(channelId(number), () => {
      const fake = createFakeVoiceRoom(roomSnapshot({ channel }));
      visits.opened.push(`${number}`);
      return fakeStay(fake.room);
    });
  };
  const one = beside(1);
  const two = beside(2);
  expect([one.isNew, two.isNew, beside(2).isNew]).toEqual([true, true, false]);
  expect(visits.opened).toEqual(['1', '2']);
  expect(stays.getSnapshot()).toBe(one.stay);
  expect(stays.all()).toEqual([one.stay, two.stay]);
  stays.leaveOne(one.stay);
  expect(stays.getSnapshot()).toBe(two.stay);
  stays.leaveOne(one.stay);
  expect(stays.all()).toEqual([two.stay]);
  stays.leave();
  expect(stays.getSnapshot()).toBeUndefined();
});

test('[ROOM50] [TALK110] the page of one room leaves all others; its own is the one that is there already', () => {
  const stays = createStays();
  const visits = createVisits();
  const north = stays.enter('Nord', visits.open);
  const beside = createFakeVoiceRoom(roomOf('Sud'));
  stays.enterBeside(channelId(2), () => fakeStay(beside.room));
  const held: string[] = [];
  beside.room.hold = () => {
    held.push('held');
    return () => held.push('released');
  };
  expect(stays.enter('Nord', visits.open)).toBe(north);
  expect(beside.calls).toContain('close');
  expect(stays.all()).toEqual([north]);
  expect(held).toEqual(['held', 'released']);
  expect(visits.room('Nord')?.calls).toEqual([]);
});
