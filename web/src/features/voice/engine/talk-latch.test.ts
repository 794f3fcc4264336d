import { expect, test } from 'vitest';
import { settle } from '#test/fake-clock.ts';
import { ok } from '#test/fake-signalling.ts';
import { CHANNEL, floorOf, openRoom } from '#test/voice-bench.ts';
import { createTalkLatch, OUTCOME_MS } from './talk-holds.ts';

const setUp = async () => {
  const bench = await openRoom({ others: ['bob'] });
  const latch = createTalkLatch(bench.room, bench.clock);
  const state = () => bench.room.getSnapshot().talk.state;
  return { ...bench, latch, state };
};

test('[VID10] the switch asks for the floor, and gives it back with the tail', async () => {
  const { latch, state, clock, isMicOpen, signalling } = await setUp();
  latch.toggle();
  await settle();
  expect([state(), isMicOpen()]).toEqual(['talking', true]);
  latch.toggle();
  await clock.advance(200);
  expect([state(), isMicOpen()]).toEqual(['idle', false]);
  expect(signalling.sentOf('floor_release')).toHaveLength(1);
});

test('[VID10] whatever else ends the talk turns it off: it asks anew', async () => {
  const { room, latch, state, clock, signalling } = await setUp();
  latch.toggle();
  await settle();
  room.stop();
  expect(state()).toBe('idle');
  latch.toggle();
  await settle();
  room.release();
  await clock.advance(200);
  latch.toggle();
  await settle();
  expect(state()).toBe('talking');
  expect(signalling.sentOf('floor_request')).toHaveLength(3);
});

test('[VID10] a revocation is shown for a while, then the switch is off by itself', async () => {
  const { latch, state, clock, signalling, isMicOpen } = await setUp();
  latch.toggle();
  await settle();
  const { seq } = signalling.sentOf('floor_request').at(-1) ?? { seq: 0 };
  signalling.emit('floor_reply', { type: 'revoked', channelId: CHANNEL, seq, reason: 'time_limit' });
  expect([state(), isMicOpen()]).toEqual(['revoked', false]);
  await clock.advance(OUTCOME_MS - 1);
  expect(state()).toBe('revoked');
  await clock.advance(1);
  expect(state()).toBe('idle');
});

test('[VID10] pressed again after a refusal it asks again at once', async () => {
  const { latch, state, signalling } = await setUp();
  signalling.emit('floor_changed', floorOf(2, ['bob']));
  signalling.answer('floor_request', ({ seq }) =>
    ok<'floor_request'>({ type: 'denied', channelId: CHANNEL, seq, reason: 'queue_full' }),
  );
  latch.toggle();
  await settle();
  expect(state()).toBe('denied');
  latch.toggle();
  await settle();
  expect(signalling.sentOf('floor_request')).toHaveLength(2);
});

test('[VID10] in the queue it waits, and leaves it by the switch', async () => {
  const { latch, state, signalling } = await setUp();
  signalling.emit('floor_changed', floorOf(2, ['bob']));
  signalling.answer('floor_request', ({ seq }) =>
    ok<'floor_request'>({ type: 'queued', channelId: CHANNEL, seq, position: 1, size: 1 }),
  );
  latch.toggle();
  await settle();
  expect(state()).toBe('queued');
  latch.toggle();
  await settle();
  expect(state()).toBe('idle');
  expect(signalling.sentOf('floor_release')).toHaveLength(1);
});

test('[TALK67] a switch that is unmounted ends its talk, and nobody else’s', async () => {
  const { room, latch, state, isMicOpen } = await setUp();
  latch.toggle();
  await settle();
  latch.close();
  expect([state(), isMicOpen()]).toEqual(['idle', false]);
  room.press();
  await settle();
  latch.close();
  expect(state()).toBe('talking');
});

test.each<[string, (bench: Awaited<ReturnType<typeof setUp>>) => void]>([
  [
    'the tab is hidden',
    () => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
      Reflect.deleteProperty(document, 'visibilityState');
    },
  ],
  [
    'somebody of higher priority talks',
    ({ signalling }) => {
      const { seq } = signalling.sentOf('floor_request').at(-1) ?? { seq: 0 };
      signalling.emit('floor_reply', { type: 'revoked', channelId: CHANNEL, seq, reason: 'preempted' });
    },
  ],
  ['the room is left', ({ room }) => room.close()],
])('[VID10] it is off when %s, and stays off', async (_when, act) => {
  const bench = await setUp();
  bench.latch.toggle();
  await settle();
  expect(bench.state()).toBe('talking');
  act(bench);
  expect(bench.isMicOpen()).toBe(false);
  await bench.clock.advance(OUTCOME_MS);
  expect([bench.state(), bench.isMicOpen()]).toEqual(['idle', false]);
  expect(bench.signalling.sentOf('floor_request')).toHaveLength(1);
});

test('[VID10] a key held while its refusal is shown talks, and as long as it is held', async () => {
  const { room, latch, state, clock, signalling } = await setUp();
  latch.toggle();
  await settle();
  const { seq } = signalling.sentOf('floor_request').at(-1) ?? { seq: 0 };
  signalling.emit('floor_reply', { type: 'revoked', channelId: CHANNEL, seq, reason: 'preempted' });
  room.press();
  await settle();
  expect(state()).toBe('talking');
  await clock.advance(OUTCOME_MS * 2);
  expect(state()).toBe('talking');
});
