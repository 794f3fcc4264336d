import type { ParticipantId } from '@pressel/contract/ids';
import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { ok } from '#test/fake-signalling.ts';
import { type Bench, floorOf, linkAll, openRoom, participantOf, roomStateOf } from '#test/voice-bench.ts';

/** bob talks for a second. */
const talk = async ({ signalling, clock }: Bench, version: number, half: () => void = () => undefined) => {
  signalling.emit('floor_changed', floorOf(version, ['bob']));
  await clock.advance(500);
  half();
  await clock.advance(500);
  signalling.emit('floor_changed', floorOf(version + 1));
  await clock.advance(1_000);
};
const missedIn = ({ room }: Bench) => room.getSnapshot().missed;

test('[TALK118] talks whose talker’s link was down from beginning to end are counted, each once', async () => {
  const bench = await openRoom({ others: ['bob'] });
  linkAll(bench, 'disconnected');
  await talk(bench, 2);
  expect(missedIn(bench)).toEqual({ count: 1, names: ['bob'] });
  await talk(bench, 4);
  expect(missedIn(bench)).toEqual({ count: 2, names: ['bob'] });
  expect(bench.signalling.sentOf('talks_since'), 'the page knows it by itself').toEqual([]);
  linkAll(bench);
  await talk(bench, 6);
  expect(missedIn(bench)?.count).toBe(2);
  bench.room.dismissMissed();
  expect(missedIn(bench)).toBeNull();
});

test.each([
  ['begins', ['connected'], ['disconnected']],
  ['ends', ['disconnected'], ['connected']],
  ['is half over, for a moment', ['disconnected'], ['connected', 'disconnected']],
] as const)('[TALK118] a talk is heard whose link is up when it %s', async (_when, first, then) => {
  const bench = await openRoom({ others: ['bob'] });
  const become = (states: readonly RTCPeerConnectionState[]) => {
    for (const state of states) linkAll(bench, state);
  };
  become(first);
  await talk(bench, 2, () => become(then));
  expect(missedIn(bench)).toBeNull();
});

test('[TALK118] a talk that was on when one came in is not counted', async () => {
  const bench = await openRoom({ others: ['bob'], state: { floor: floorOf(2, ['bob']) } });
  await bench.clock.advance(100);
  bench.signalling.emit('floor_changed', floorOf(3));
  await bench.clock.advance(1_000);
  expect(missedIn(bench)).toBeNull();
});

test('[TALK118] a talk that was missed by its link is not counted again by the server’s list', async () => {
  const bench = await openRoom({ others: ['bob', 'cid'] });
  const { signalling, clock } = bench;
  linkAll(bench, 'disconnected');
  await talk(bench, 2);
  signalling.emit('floor_changed', floorOf(4, ['bob']));
  await clock.advance(500);
  // Once the link to the server is gone, nobody knows when this talk ends.
  signalling.setLink('down');
  expect(missedIn(bench)?.count).toBe(1);
  await clock.advance(3_000);
  signalling.answer('talks_since', () =>
    ok<'talks_since'>({
      talks: [
        { id: 'bob' as ParticipantId, name: 'bob', beganMsAgo: 5_500, endedMsAgo: 4_500 },
        { id: 'bob' as ParticipantId, name: 'bob', beganMsAgo: 3_500, endedMsAgo: 2_000 },
      ],
    }),
  );
  signalling.answer('join_room', () =>
    ok<'join_room'>(roomStateOf(['bob', 'cid'], { self: participantOf('anew'), floor: floorOf(9), stay: '9.proof' })),
  );
  signalling.setLink('up');
  await settle();
  expect(missedIn(bench)).toEqual({ count: 2, names: ['bob'] });
});
