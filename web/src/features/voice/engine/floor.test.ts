import type { ParticipantId } from '@pressel/contract/ids';
import { describe, expect, test } from 'vitest';
import { createFakeClock } from '#test/fake-clock.ts';
import { floorOf, participantOf } from '#test/voice-bench.ts';
import { createFloorView, DRY_LOOK_MS, FLUSH_MS } from './floor.ts';

const open = () => {
  const clock = createFakeClock();
  /** Participants whose jitter buffers still have something to play. */
  const full = new Set<string>();
  /** How long voices waited in the jitter buffers. */
  const buffered = new Map<string, number>();
  /** How long the page takes to learn that, ms. */
  const busy = { ms: 0 };
  const view = createFloorView({
    ...{ clock, self: () => participantOf('self'), isPlayed: (id) => full.has(id) },
    async bufferedMs(id) {
      if (busy.ms > 0) await new Promise<void>((resolve) => clock.after(busy.ms, resolve));
      return buffered.get(id) ?? 0;
    },
  });
  return { clock, view, full, buffered, busy, heard: () => [...view.audible()].sort() };
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

test('[TALK50] on a link whose jitter buffer holds more, the last talker is heard twice as much longer, 2 s at most', async () => {
  const { clock, view, buffered, heard } = open();
  const endsAfter = async (ms: number, isHeardFor: number) => {
    buffered.set('ann', ms);
    view.apply(floorOf((view.current()?.version ?? 0) + 1, ['ann']));
    view.apply(floorOf((view.current()?.version ?? 0) + 1));
    await clock.advance(isHeardFor - 1);
    expect(heard(), `${ms} ms`).toEqual(['ann']);
    await clock.advance(1);
    expect(heard(), `${ms} ms`).toEqual([]);
  };
  await endsAfter(150, 300);
  await endsAfter(400, 1_100);
  await endsAfter(5_000, 2_000);
  expect(clock.pending()).toBe(0);
});

test('[TALK50] a page that learns late what the buffer holds cuts nothing off before, and plays for no longer than otherwise', async () => {
  const { clock, view, buffered, busy, heard } = open();
  const endsAfter = async (ms: number, isHeardFor: number) => {
    buffered.set('ann', ms);
    view.apply(floorOf((view.current()?.version ?? 0) + 1, ['ann']));
    view.apply(floorOf((view.current()?.version ?? 0) + 1));
    await clock.advance(isHeardFor - 1);
    expect(heard(), `${ms} ms`).toEqual(['ann']);
    await clock.advance(1);
    expect(heard(), `${ms} ms`).toEqual([]);
  };
  busy.ms = 450;
  await endsAfter(400, 1_100);
  await endsAfter(0, 450);
  busy.ms = 5_000;
  await endsAfter(0, 2_000);
});

const waits = (...names: string[]) => ({ queue: names as ParticipantId[] });
/** One talker follows another: ann lets go, and `next`, who waited, takes over. */
const handOver = (view: ReturnType<typeof open>['view'], next: string) => {
  view.apply(floorOf(1, ['ann'], waits(next)));
  view.apply(floorOf(2, [next]));
};
const both = (next: string) => (next === 'self' ? ['ann'] : ['ann', next]);
const alone = (next: string) => (next === 'self' ? [] : [next]);

describe.each([['bob'], ['self']])('[TALK51] [TALK53] when %s takes over who waited', (next) => {
  test('the one before is heard until nothing of them is left to play', async () => {
    const { clock, view, full, heard } = open();
    full.add('ann');
    handOver(view, next);
    await clock.advance(150);
    expect(heard()).toEqual(both(next));
    full.delete('ann');
    await clock.advance(2 * DRY_LOOK_MS);
    expect(heard()).toEqual(alone(next));
    expect(clock.pending(), 'but for the end of the talk’s time').toBe(1);
  });

  test('a gap between two bursts is not the end', async () => {
    const { clock, view, full, heard } = open();
    handOver(view, next);
    await clock.advance(DRY_LOOK_MS);
    full.add('ann');
    await clock.advance(DRY_LOOK_MS);
    full.delete('ann');
    await clock.advance(DRY_LOOK_MS);
    expect(heard()).toEqual(both(next));
    await clock.advance(DRY_LOOK_MS);
    expect(heard()).toEqual(alone(next));
  });

  test('one before who goes on sending is cut after 300 ms', async () => {
    const { clock, view, full, heard } = open();
    full.add('ann');
    handOver(view, next);
    await clock.advance(FLUSH_MS - 1);
    expect(heard()).toEqual(both(next));
    await clock.advance(1);
    expect(heard()).toEqual(alone(next));
  });

  test('after an idle moment the 300 ms count from its beginning', async () => {
    const { clock, view, full, heard } = open();
    full.add('ann');
    view.apply(floorOf(1, ['ann']));
    view.apply(floorOf(2));
    await clock.advance(200);
    view.apply(floorOf(3, [next]));
    await clock.advance(99);
    expect(heard()).toEqual(both(next));
    await clock.advance(1);
    expect(heard()).toEqual(alone(next));
  });

  test('on a link whose jitter buffer holds 400 ms, a gap of as much is not the end, and 1,100 ms are', async () => {
    const { clock, view, full, buffered, heard } = open();
    buffered.set('ann', 400);
    handOver(view, next);
    await clock.advance(360);
    full.add('ann');
    await clock.advance(739);
    expect(heard()).toEqual(both(next));
    await clock.advance(1);
    expect(heard()).toEqual(alone(next));
  });

  test('a gap is not the end before the page knows what the jitter buffer holds', async () => {
    const { clock, view, full, buffered, busy, heard } = open();
    buffered.set('ann', 400);
    busy.ms = 250;
    handOver(view, next);
    await clock.advance(360);
    full.add('ann');
    await clock.advance(739);
    expect(heard()).toEqual(both(next));
    await clock.advance(1);
    expect(heard()).toEqual(alone(next));
  });

  test('by priority, the one before is cut at once', () => {
    const { view, full, heard } = open();
    full.add('ann');
    view.apply(floorOf(1, ['ann'], waits('cid')));
    view.apply(floorOf(2, [next], waits('cid')));
    expect(heard()).toEqual(alone(next));
  });
});

test('[TALK51] whoever is cut off by priority within the 300 ms of the one before leaves neither of them heard', () => {
  const { view, full, heard } = open();
  full.add('ann').add('bob');
  handOver(view, 'bob');
  view.apply(floorOf(3, ['dan']));
  expect(heard()).toEqual(['dan']);
});

test('[TALK51] who takes over while an earlier one is still played is no reason to play that one longer', async () => {
  const { clock, view, full, heard } = open();
  full.add('ann').add('bob');
  view.apply(floorOf(1, ['ann'], waits('bob', 'cid')));
  view.apply(floorOf(2, ['bob'], waits('cid')));
  await clock.advance(200);
  view.apply(floorOf(3, ['cid']));
  expect(heard()).toEqual(['ann', 'bob', 'cid']);
  await clock.advance(100);
  expect(heard()).toEqual(['bob', 'cid']);
  await clock.advance(200);
  expect(heard()).toEqual(['cid']);
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
