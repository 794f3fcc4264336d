import type { ChannelId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { createFakeRoomSession, fakeStay, person, roomSnapshot } from '#test/fake-room-session.ts';
import type { RoomSnapshot } from './engine/types.ts';
import type { RoomVideo } from './engine/video.ts';
import { createStays, hereOf, type Stay } from './stays.ts';

/** A room whose channel has this address. */
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

/** Stays that record what happens to them. */
function createVisits() {
  const rooms = new Map<string, ReturnType<typeof createFakeRoomSession>>();
  const opened: string[] = [];
  const open = (roomKey: string): Stay => {
    opened.push(roomKey);
    const fake = createFakeRoomSession(roomOf(roomKey));
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

test('[TALK156] a page finds the stay that was entered for it, also one that was refused meanwhile; once it was shown, enters anew', () => {
  const stays = createStays();
  const visits = createVisits();
  stays.enterAhead('Nord', visits.open);
  const ahead = stays.getSnapshot();
  visits.room('Nord')?.show(roomSnapshot({ status: { state: 'refused', code: 'not_a_member' }, channel: null }));
  expect(stays.enter('Nord', visits.open)).toBe(ahead);
  expect(stays.enter('Nord', visits.open)).not.toBe(ahead);
  expect(visits.opened).toEqual(['Nord', 'Nord']);
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

/** Rooms that are entered together, by the last digits of their channels' ids. */
function createTogether() {
  const stays = createStays();
  const rooms = new Map<number, ReturnType<typeof createFakeRoomSession>>();
  const enter = (...numbers: number[]) =>
    stays.enterTogether(numbers.map(channelId), (id) => {
      const channel = { ...(roomSnapshot().channel as NonNullable<RoomSnapshot['channel']>), id };
      const fake = createFakeRoomSession(roomSnapshot({ channel }));
      rooms.set(Number(id.slice(-1)), fake);
      return fakeStay(fake.room);
    });
  return { stays, enter, room: (number: number) => rooms.get(number) as ReturnType<typeof createFakeRoomSession> };
}

test('[ROOM50] rooms are entered together, the first has the focus, and each is left by itself', () => {
  const { stays, enter } = createTogether();
  const [one, two] = enter(1, 2);
  expect(enter(1, 2)).toEqual([one, two]);
  expect(stays.getSnapshot()).toBe(one);
  expect(stays.all()).toEqual([one, two]);
  stays.leaveOne(one as Stay);
  expect(stays.getSnapshot()).toBe(two);
  stays.leaveOne(one as Stay);
  expect(stays.all()).toEqual([two]);
  stays.leave();
  expect(stays.getSnapshot()).toBeUndefined();
});

test('[ROOM50] [ROOM51] rooms that are entered together leave all others, and those that are there already go on', () => {
  const { stays, enter, room } = createTogether();
  const [one, two] = enter(1, 2);
  const held: string[] = [];
  room(1).room.hold = () => {
    held.push('held');
    return () => held.push('released');
  };
  const [first, second] = enter(3, 2);
  expect(second).toBe(two);
  expect(stays.all()).toEqual([first, two]);
  expect(stays.all()).not.toContain(one);
  expect(room(1).calls).toEqual(['close']);
  expect(room(2).calls).toEqual([]);
  expect(held, 'the microphone stays open').toEqual(['held', 'released']);
});

test('[ROOM50] [TALK110] the page of one room leaves all others; its own is the one that is there already', () => {
  const stays = createStays();
  const visits = createVisits();
  const beside = createFakeRoomSession(roomOf('Sud'));
  const [north] = stays.enterTogether([channelId(1), channelId(2)], (id) =>
    id === channelId(1) ? visits.open('Nord') : fakeStay(beside.room),
  );
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
