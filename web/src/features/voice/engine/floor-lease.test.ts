import { FLOOR_LEASE_MS } from '@pressel/contract/limits';
import { expect, test } from 'vitest';
import { ok, unavailable } from '#test/fake-signalling.ts';
import { granted, holdAnswers, queued, sent } from '#test/floor-replies.ts';
import { type Bench, CHANNEL, floorOf, openRoom } from '#test/voice-bench.ts';

const talk = ({ room }: Bench) => room.getSnapshot().talk;

test('[TALK46] renews while pressed, and stops with the talk', async () => {
  const bench = await openRoom();
  bench.room.press();
  await bench.clock.advance(3_000);
  expect(bench.signalling.sentOf('floor_renew')).toEqual(
    Array.from({ length: 5 }, () => ({ channelId: CHANNEL, seq: 1 })),
  );
  bench.room.stop();
  await bench.clock.advance(3_000);
  expect(bench.signalling.sentOf('floor_renew')).toHaveLength(5);
});

test('[TALK46] timers that run a fraction early don’t double the renewals', async () => {
  const bench = await openRoom();
  const { clock, room, signalling } = bench;
  const { after } = clock;
  clock.after = (ms, run) => after(ms - 0.3, run);
  room.press();
  await clock.advance(6_000);
  expect(signalling.sentOf('floor_renew')).toHaveLength(10);
});

test.each([
  [400, 9],
  [1_500, 4],
])('[TALK46] a page that draws for %i ms at a time renews well within its lease', async (drawMs, times) => {
  const bench = await openRoom();
  const { clock, room, signalling } = bench;
  const renewedAt = [clock.now()];
  signalling.answer('floor_renew', () => {
    renewedAt.push(clock.now());
    return ok<'floor_renew'>({});
  });
  const draw = () => {
    clock.sleep(drawMs);
    clock.after(10, draw);
  };
  room.press();
  clock.after(10, draw);
  await clock.advance(6_000);
  expect(renewedAt.length - 1).toBeGreaterThanOrEqual(times);
  const gaps = renewedAt.slice(1).map((at, index) => at - (renewedAt[index] ?? 0));
  expect(Math.max(...gaps)).toBeLessThan(FLOOR_LEASE_MS - 500);
  expect(talk(bench).state).toBe('talking');
});

test.each([1, 2])(
  '[TALK33] a page that stands still for 4 s, %i time(s), keeps a floor that the server has kept',
  async (times) => {
    const bench = await openRoom();
    const { clock, room, signalling } = bench;
    room.press();
    await clock.advance(1_000);
    for (let pause = 0; pause < times; pause += 1) {
      clock.sleep(4_000);
      await clock.advance(1_000);
    }
    expect(talk(bench).state).toBe('talking');
    expect(bench.isMicOpen()).toBe(true);
    const before = signalling.sentOf('floor_renew').length;
    await clock.advance(3_000);
    expect(signalling.sentOf('floor_renew').length - before).toBe(5);
  },
);

test('[TALK33] after a pause the microphone closes at once when the server has given the floor away', async () => {
  const bench = await openRoom();
  const { clock, room, signalling } = bench;
  room.press();
  await clock.advance(1_000);
  clock.sleep(8_000);
  signalling.emit('floor_reply', { type: 'revoked', channelId: CHANNEL, seq: 1, reason: 'lease_expired' });
  expect(bench.isMicOpen()).toBe(false);
  expect(talk(bench)).toMatchObject({ state: 'revoked', reason: 'lease_expired' });
});

test('[TALK33] after a pause the microphone closes within a lease when the server doesn’t answer', async () => {
  const bench = await openRoom();
  const { clock, room, signalling } = bench;
  room.press();
  await clock.advance(1_000);
  signalling.answer('floor_renew', () => unavailable);
  clock.sleep(60_000);
  await clock.advance(FLOOR_LEASE_MS + 600);
  expect(bench.isMicOpen()).toBe(false);
  expect(talk(bench)).toMatchObject({ state: 'revoked', reason: 'link' });
});

test('[TALK46] without a sign of the server for a lease the microphone closes: nobody plays us any more', async () => {
  const bench = await openRoom();
  bench.signalling.answer('floor_renew', () => unavailable);
  bench.room.press();
  await bench.clock.advance(FLOOR_LEASE_MS - 10);
  expect(bench.isMicOpen()).toBe(true);
  await bench.clock.advance(10);
  expect(bench.isMicOpen()).toBe(false);
  expect(talk(bench)).toMatchObject({ state: 'revoked', reason: 'link' });
  expect(sent(bench)).toEqual(['request 1', 'release 2']);
});

test.each([0, 150, 700])(
  '[TALK46] the lease counts from when the last renewal that was acknowledged was sent, acknowledged %i ms later',
  async (roundTripMs) => {
    const bench = await openRoom();
    const { clock, room, signalling } = bench;
    const answered: number[] = [];
    signalling.answer('floor_renew', () => {
      if (answered.length === 2) return unavailable;
      answered.push(clock.now());
      return new Promise((resolve) => clock.after(roundTripMs, () => resolve(ok<'floor_renew'>({}))));
    });
    room.press();
    await clock.advance(1_300);
    const over = (answered.at(-1) ?? 0) + FLOOR_LEASE_MS;
    await clock.advance(over - clock.now() - 10);
    expect(bench.isMicOpen()).toBe(true);
    await clock.advance(10);
    expect(bench.isMicOpen()).toBe(false);
  },
);

test('[TALK46] a late grant lengthens no lease: it counts from the request', async () => {
  const bench = await openRoom();
  const { clock, room, signalling } = bench;
  signalling.answer('floor_renew', () => unavailable);
  const answer = holdAnswers(bench);
  room.press();
  await clock.advance(1_000);
  await answer(granted({ seq: 1 }));
  await clock.advance(FLOOR_LEASE_MS - 1_000 - 10);
  expect(bench.isMicOpen()).toBe(true);
  await clock.advance(10);
  expect(bench.isMicOpen()).toBe(false);
});

test('[TALK46] a grant from the queue lengthens no lease: it counts from the last renewal', async () => {
  const bench = await openRoom({ others: ['bob'] });
  const { clock, room, signalling } = bench;
  bench.signalling.emit('floor_changed', floorOf(2, ['bob']));
  const answer = holdAnswers(bench);
  room.press();
  await answer(queued({ seq: 1 }));
  await clock.advance(1_000);
  signalling.answer('floor_renew', () => unavailable);
  signalling.emit('floor_reply', granted({ seq: 1 }));
  expect(bench.isMicOpen()).toBe(true);
  // The last renewal was 600 ms after the request.
  await clock.advance(FLOOR_LEASE_MS - 400 - 10);
  expect(bench.isMicOpen()).toBe(true);
  await clock.advance(10);
  expect(bench.isMicOpen()).toBe(false);
});
