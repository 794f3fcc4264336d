import { BEAT_SILENCE_MS } from '@pressel/contract/limits';
import { expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '#test/fake-clock.ts';
import { createHeartbeat } from './link-watch.ts';
import type { Clock } from './platform.ts';

/** A running heartbeat. Its beats are answered at once, and its clock runs timers when `delayOf` says. */
const beating = (delayOf: (ms: number, clock: FakeClock) => number = (ms) => ms) => {
  const clock = createFakeClock();
  const log = { timers: 0, beats: [] as number[], silences: [] as [number, boolean][] };
  const timers: Clock = {
    now: clock.now,
    wall: clock.wall,
    after(ms, run) {
      log.timers += 1;
      return clock.after(delayOf(ms, clock), run);
    },
  };
  let isAnswering = true;
  const heartbeat = createHeartbeat({
    clock: timers,
    beat() {
      log.beats.push(clock.now());
      return isAnswering ? Promise.resolve(true) : new Promise(() => undefined);
    },
    onSilence: (isSilent) => log.silences.push([clock.now(), isSilent]),
    onDead: () => undefined,
    random: () => 0,
  });
  heartbeat.start();
  return {
    clock,
    log,
    fallSilent() {
      isAnswering = false;
    },
  };
};

const gapsOf = (times: readonly number[]) => times.slice(1).map((at, index) => at - (times[index] ?? 0));

test.each([
  ['on time', 0],
  ['a fraction early', 0.3],
])('[TALK100] while beats are answered there is one timer for each of them, with timers %s', async (_when, early) => {
  const { clock, log } = beating((ms) => ms - early);
  await clock.advance(20_000);
  expect(log.beats.length).toBeGreaterThanOrEqual(20);
  expect(log.timers).toBeLessThanOrEqual(log.beats.length + 1);
});

test('[TALK101] silence is told at its very limit', async () => {
  const { clock, log, fallSilent } = beating();
  await clock.advance(5_000);
  const answeredAt = log.beats.at(-1) ?? 0;
  fallSilent();
  await clock.advance(4_000);
  expect(log.silences).toEqual([[answeredAt + BEAT_SILENCE_MS, true]]);
});

test('[TALK100] a hidden tab, whose timers run at full seconds, beats in each of them', async () => {
  const { clock, log, fallSilent } = beating((ms, { now }) => Math.ceil((now() + ms) / 1_000) * 1_000 + 3 - now());
  await clock.advance(20_000);
  expect(Math.max(...gapsOf(log.beats))).toBeLessThan(1_010);
  expect(log.silences).toEqual([]);
  fallSilent();
  await clock.advance(4_000);
  expect(log.silences).toHaveLength(1);
});

test('[TALK101] a page that stands still for half a minute, again and again, calls nobody silent', async () => {
  const { clock, log } = beating();
  for (let round = 0; round < 5; round += 1) {
    await clock.advance(1_500);
    clock.sleep(30_000);
  }
  await clock.advance(1_500);
  expect(log.silences).toEqual([]);
});
