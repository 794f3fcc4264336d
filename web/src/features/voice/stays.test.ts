import { expect, test } from 'vitest';
import { createFakeVoiceRoom, fakeStay, roomSnapshot } from '#test/fake-voice-room.ts';
import { createStays, type Stay } from './stays.ts';

/** The room of a channel with this address. */
function roomOf(rtcSession: string) {
  const { channel } = roomSnapshot();
  return roomSnapshot({ channel: channel && { ...channel, rtcSession } });
}

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
