import type { ParticipantId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { createFakeClock } from '#test/fake-clock.ts';
import { floorOf, participantOf } from '#test/voice-bench.ts';
import { createFloorView } from './floor-view.ts';

const open = () => {
  const clock = createFakeClock();
  const view = createFloorView(clock, () => participantOf('self'));
  return { clock, view, heard: () => [...view.audible()].sort() };
};

test('[TALK24] an older version that comes late is ignored', () => {
  const { view, heard } = open();
  view.apply(floorOf(5, ['ann']));
  view.apply(floorOf(4, ['bob']));
  expect(heard()).toEqual(['ann']);
});

test('after a reset lower versions are accepted', () => {
  const { view, heard } = open();
  view.apply(floorOf(50, ['ann']));
  view.reset();
  expect(heard()).toEqual([]);
  view.apply(floorOf(1, ['bob']));
  expect(heard()).toEqual(['bob']);
});

test('[TALK49] [TALK52] exactly the talkers are heard, oneself never', () => {
  const { view, heard } = open();
  expect(heard()).toEqual([]);
  view.apply(floorOf(1, ['ann', 'self'], { mode: 'open' }));
  expect(heard()).toEqual(['ann']);
});

test('[TALK52] the same user’s other tabs and devices are silent too, unless they are to be heard', async () => {
  const { clock, view, heard } = open();
  // The bench derives the user from the first letter.
  view.apply(floorOf(1, ['ann', 'self', 'second-tab'], { mode: 'open' }));
  expect(heard()).toEqual(['ann']);
  view.setHearsOwn(true);
  expect(heard()).toEqual(['ann', 'second-tab']);
  view.apply(floorOf(2, [], { mode: 'open' }));
  view.setHearsOwn(false);
  expect(heard()).toEqual(['ann']);
  await clock.advance(300);
  view.apply(floorOf(3, ['second-tab']));
  view.apply(floorOf(4));
  expect(heard()).toEqual([]);
});

test('[TALK50] the last talker is heard 300 ms more after the floor went idle', async () => {
  const { clock, view, heard } = open();
  view.apply(floorOf(1, ['ann']));
  view.apply(floorOf(2));
  await clock.advance(299);
  expect(heard()).toEqual(['ann']);
  await clock.advance(1);
  expect(heard()).toEqual([]);
});

test.each([['bob'], ['self']])('[TALK51] [TALK53] %s taking the floor cuts the one before at once', async (next) => {
  const { view, heard } = open();
  view.apply(floorOf(1, ['ann']));
  view.apply(floorOf(2, [next]));
  expect(heard()).not.toContain('ann');
  view.apply(floorOf(3, ['ann']));
  view.apply(floorOf(4));
  view.apply(floorOf(5, [next]));
  expect(heard()).not.toContain('ann');
});

test('in an open channel the end of one leaves the others heard, and itself the 300 ms', async () => {
  const { clock, view, heard } = open();
  view.apply(floorOf(1, ['ann', 'bob'], { mode: 'open' }));
  view.apply(floorOf(2, ['bob'], { mode: 'open' }));
  expect(heard()).toEqual(['ann', 'bob']);
  await clock.advance(300);
  expect(heard()).toEqual(['bob']);
});

test('who talks again within the 300 ms is not cut at their end', async () => {
  const { clock, view, heard } = open();
  view.apply(floorOf(1, ['ann']));
  view.apply(floorOf(2));
  await clock.advance(200);
  view.apply(floorOf(3, ['ann']));
  await clock.advance(200);
  expect(heard()).toEqual(['ann']);
});

test('a talk keeps its start over snapshots, also for those who joined during it', async () => {
  const { clock, view } = open();
  const ann = 'ann' as ParticipantId;
  const floor = floorOf(1, ['ann']);
  view.apply({ ...floor, talkers: floor.talkers.map((one) => ({ ...one, talkingMs: 4_000 })) });
  const began = clock.now() - 4_000;
  expect(view.since(ann)).toBe(began);
  await clock.advance(1_000);
  view.apply({ ...floorOf(2, ['ann']) });
  expect(view.since(ann)).toBe(began);
});

test('[TALK41] the floor looks free only when it is known to be idle with nobody waiting, or open', () => {
  const { view } = open();
  expect(view.looksFree()).toBe(false);
  view.apply(floorOf(1));
  expect(view.looksFree()).toBe(true);
  view.apply(floorOf(2, [], { queue: ['bob' as ParticipantId] }));
  expect(view.looksFree()).toBe(false);
  view.apply(floorOf(3, ['bob']));
  expect(view.looksFree()).toBe(false);
  view.apply(floorOf(4, ['bob'], { mode: 'open' }));
  expect(view.looksFree()).toBe(true);
});

test('[TALK112] who talked last is known with its length, through a lost link too', async () => {
  const { clock, view } = open();
  expect(view.lastTalk()).toBeNull();
  view.apply(floorOf(1, ['ann']));
  await clock.advance(4_000);
  expect(view.lastTalk(), 'not yet over').toBeNull();
  view.apply(floorOf(2));
  expect(view.lastTalk()).toMatchObject({ isSelf: false, durationMs: 4_000, endedAt: clock.now() });
  view.apply(floorOf(3, ['self']));
  view.apply(floorOf(4));
  view.reset();
  expect(view.lastTalk()).toMatchObject({ isSelf: true, durationMs: 0 });
  view.apply(floorOf(1, ['ann']));
  view.reset();
  expect(view.lastTalk(), 'one that was cut off').toBeNull();
});
