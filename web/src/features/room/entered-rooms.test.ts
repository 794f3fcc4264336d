import type { ChannelId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import type { RoomVideo } from '#src/features/voice/engine/video.ts';
import { createFakeRoomSession, fakeEnteredRoom, person, roomSnapshot } from '#test/fake-room-session.ts';
import { createEnteredRooms, type EnteredRoom, joinedChannelOf } from './entered-rooms.ts';

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
  const open = (roomKey: string): EnteredRoom => {
    opened.push(roomKey);
    const fake = createFakeRoomSession(roomOf(roomKey));
    rooms.set(roomKey, fake);
    return fakeEnteredRoom(fake.room);
  };
  return { open, opened, room: (roomKey: string) => rooms.get(roomKey) };
}

test('[TALK110] who enters a room again, whoever asks, is in it still', () => {
  const enteredRooms = createEnteredRooms();
  const visits = createVisits();
  const enteredRoom = enteredRooms.enter('Nord', visits.open);
  expect(enteredRooms.enter('Nord', visits.open)).toBe(enteredRoom);
  expect(enteredRooms.getSnapshot()).toBe(enteredRoom);
  expect(visits.opened).toEqual(['Nord']);
});

test('[VID1] the same room by the video view is another stay, and so is the way back', () => {
  const enteredRooms = createEnteredRooms();
  const visits = createVisits();
  const radio = enteredRooms.enter('Nord', visits.open);
  const openVideo = (roomKey: string): EnteredRoom => {
    const enteredRoom = visits.open(roomKey);
    return { ...enteredRoom, room: { ...enteredRoom.room, video: createVideoDouble() } };
  };
  const video = enteredRooms.enter('Nord', openVideo, true);
  expect(video).not.toBe(radio);
  expect(enteredRooms.enter('Nord', openVideo, true)).toBe(video);
  expect(enteredRooms.enter('Nord', visits.open)).not.toBe(video);
  expect(visits.opened).toEqual(['Nord', 'Nord', 'Nord']);
});

test('[TALK156] a page finds the stay that was entered for it, also one that was refused meanwhile; once it was shown, enters anew', () => {
  const enteredRooms = createEnteredRooms();
  const visits = createVisits();
  enteredRooms.enterAhead('Nord', visits.open);
  const ahead = enteredRooms.getSnapshot();
  visits.room('Nord')?.show(roomSnapshot({ status: { state: 'refused', code: 'not_a_member' }, channel: null }));
  expect(enteredRooms.enter('Nord', visits.open)).toBe(ahead);
  expect(enteredRooms.enter('Nord', visits.open)).not.toBe(ahead);
  expect(visits.opened).toEqual(['Nord', 'Nord']);
});

test('[TALK110] another room is entered when this one is left', () => {
  const enteredRooms = createEnteredRooms();
  const visits = createVisits();
  let news = 0;
  enteredRooms.subscribe(() => {
    news += 1;
  });
  enteredRooms.enter('Nord', visits.open);
  const south = enteredRooms.enter('Sud', visits.open);
  expect(visits.room('Nord')?.calls).toContain('close');
  expect(enteredRooms.getSnapshot()).toBe(south);
  enteredRooms.leave();
  expect(visits.room('Sud')?.calls).toContain('close');
  expect(enteredRooms.getSnapshot()).toBeUndefined();
  expect(news).toBe(3);
});

test('a room that was renamed is the one of its new address, and no longer of its old one', () => {
  const enteredRooms = createEnteredRooms();
  const visits = createVisits();
  const enteredRoom = enteredRooms.enter('Nord', visits.open);
  visits.room('Nord')?.show(roomOf('Est'));
  expect(enteredRooms.enter('Est', visits.open)).toBe(enteredRoom);
  expect(enteredRooms.enter('Nord', visits.open)).not.toBe(enteredRoom);
});

test('a room that ended the visit is entered anew', () => {
  const enteredRooms = createEnteredRooms();
  const visits = createVisits();
  const enteredRoom = enteredRooms.enter('Nord', visits.open);
  visits.room('Nord')?.show(roomSnapshot({ status: { state: 'closed', reason: 'removed' } }));
  expect(enteredRooms.enter('Nord', visits.open)).not.toBe(enteredRoom);
});

test('[LIST20] lists are told which room one is in and who talks there, and nothing twice', () => {
  const enteredRooms = createEnteredRooms();
  const visits = createVisits();
  const here = joinedChannelOf(enteredRooms);
  let told = 0;
  const leave = here.subscribe(() => {
    told += 1;
  });
  expect(here.getSnapshot()).toBeUndefined();
  enteredRooms.enter('Nord', visits.open);
  const { channel } = roomOf('Nord');
  expect(here.getSnapshot()).toEqual({ channelId: channel?.id, talkers: [] });
  const before = here.getSnapshot();
  expect(here.getSnapshot()).toBe(before);
  const talker = person(2, { isTalking: true });
  visits.room('Nord')?.show({ ...roomOf('Nord'), participants: [person(1), talker] });
  expect(here.getSnapshot()?.talkers).toEqual([{ userId: talker.userId, name: talker.name }]);
  enteredRooms.leave();
  expect(here.getSnapshot()).toBeUndefined();
  expect(told).toBe(3);
  leave();
});

const channelId = (number: number) => `00000000-0000-7000-8000-00000000000${number}` as ChannelId;

/** Rooms that are entered together, by the last digits of their channels' ids. */
function createTogether() {
  const enteredRooms = createEnteredRooms();
  const rooms = new Map<number, ReturnType<typeof createFakeRoomSession>>();
  const enter = (...numbers: number[]) =>
    enteredRooms.enterTogether(numbers.map(channelId), (id) => {
      const channel = { ...(roomSnapshot().channel as NonNullable<RoomSnapshot['channel']>), id };
      const fake = createFakeRoomSession(roomSnapshot({ channel }));
      rooms.set(Number(id.slice(-1)), fake);
      return fakeEnteredRoom(fake.room);
    });
  return {
    enteredRooms,
    enter,
    room: (number: number) => rooms.get(number) as ReturnType<typeof createFakeRoomSession>,
  };
}

test('[ROOM50] rooms are entered together, the first has the focus, and each is left by itself', () => {
  const { enteredRooms, enter } = createTogether();
  const [one, two] = enter(1, 2);
  expect(enter(1, 2)).toEqual([one, two]);
  expect(enteredRooms.getSnapshot()).toBe(one);
  expect(enteredRooms.all()).toEqual([one, two]);
  enteredRooms.leaveOne(one as EnteredRoom);
  expect(enteredRooms.getSnapshot()).toBe(two);
  enteredRooms.leaveOne(one as EnteredRoom);
  expect(enteredRooms.all()).toEqual([two]);
  enteredRooms.leave();
  expect(enteredRooms.getSnapshot()).toBeUndefined();
});

test('[ROOM50] [ROOM51] rooms that are entered together leave all others, and those that are there already go on', () => {
  const { enteredRooms, enter, room } = createTogether();
  const [one, two] = enter(1, 2);
  const held: string[] = [];
  room(1).room.keepEngineOpen = () => {
    held.push('held');
    return () => held.push('released');
  };
  const [first, second] = enter(3, 2);
  expect(second).toBe(two);
  expect(enteredRooms.all()).toEqual([first, two]);
  expect(enteredRooms.all()).not.toContain(one);
  expect(room(1).calls).toEqual(['close']);
  expect(room(2).calls).toEqual([]);
  expect(held, 'the microphone stays open').toEqual(['held', 'released']);
});

test('[ROOM50] [TALK110] the page of one room leaves all others; its own is the one that is there already', () => {
  const enteredRooms = createEnteredRooms();
  const visits = createVisits();
  const beside = createFakeRoomSession(roomOf('Sud'));
  const [north] = enteredRooms.enterTogether([channelId(1), channelId(2)], (id) =>
    id === channelId(1) ? visits.open('Nord') : fakeEnteredRoom(beside.room),
  );
  const held: string[] = [];
  beside.room.keepEngineOpen = () => {
    held.push('held');
    return () => held.push('released');
  };
  expect(enteredRooms.enter('Nord', visits.open)).toBe(north);
  expect(beside.calls).toContain('close');
  expect(enteredRooms.all()).toEqual([north]);
  expect(held).toEqual(['held', 'released']);
  expect(visits.room('Nord')?.calls).toEqual([]);
});
