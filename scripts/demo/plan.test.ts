import { expect, test } from 'vitest';
import { live } from './live.ts';
import { PRESENT_LEAST, PRESENT_MOST, planLife, type Step } from './plan.ts';
import { createRandom } from './random.ts';
import { PEOPLE, VOICED_CHANNELS, VOICES_PER_CHANNEL } from './team.ts';

const HOUR_MS = 3_600_000;

function until(ms: number, seed: number): Step[] {
  const steps: Step[] = [];
  for (const step of planLife(createRandom(seed))) {
    if (step.at > ms) break;
    steps.push(step);
  }
  return steps;
}

test('the same seed tells the same story, another one another', () => {
  expect(until(60_000, 3)).toEqual(until(60_000, 3));
  expect(until(60_000, 3)).not.toEqual(until(60_000, 4));
});

test.each([1, 2, 3])('nobody does what they cannot, for twenty minutes (seed %i)', (seed) => {
  const present = new Set<number>();
  const inside = new Map<number, number>();
  const busyUntil = new Map<number, number>();
  let last = 0;
  for (const step of until(HOUR_MS / 3, seed)) {
    const { who, at } = step;
    expect(at).toBeGreaterThanOrEqual(last);
    last = at;
    if (step.do === 'connect') {
      expect(present).not.toContain(who);
      present.add(who);
      continue;
    }
    expect(present).toContain(who);
    if ('channel' in step) expect(PEOPLE[who]?.channels).toContain(step.channel);
    if (step.do === 'disconnect') {
      expect(inside.has(who)).toBe(false);
      present.delete(who);
    } else if (step.do === 'enter') {
      expect(inside.has(who)).toBe(false);
      expect(VOICED_CHANNELS).toContain(step.channel);
      inside.set(who, step.channel);
      expect([...inside.values()].filter((channel) => channel === step.channel).length).toBeLessThanOrEqual(
        VOICES_PER_CHANNEL,
      );
    } else if (step.do === 'leave') {
      expect(inside.get(who)).toBe(step.channel);
      inside.delete(who);
    } else if (step.do === 'talk') {
      expect(inside.get(who)).toBe(step.channel);
      expect(at).toBeGreaterThanOrEqual(busyUntil.get(step.channel) ?? 0);
      busyUntil.set(step.channel, at + step.ms);
    }
    // While the team arrives there are fewer. Each voiced channel may have one more, who is entering.
    if (at > 5_000) expect(present.size).toBeGreaterThanOrEqual(PRESENT_LEAST);
    expect(present.size).toBeLessThanOrEqual(PRESENT_MOST + VOICED_CHANNELS.length);
  }
});

test('within five seconds both rooms talk, somebody writes, and people move', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const steps = until(5_000, seed);
    const talked = new Set(steps.flatMap((step) => (step.do === 'talk' ? [step.channel] : [])));
    expect(talked).toEqual(new Set(VOICED_CHANNELS));
    expect(steps.some((step) => step.do === 'write')).toBe(true);
    expect(steps.filter((step) => step.do === 'move').length).toBeGreaterThan(20);
  }
});

test('in a quarter of an hour people come and go, rooms change, and pictures are shown', () => {
  const done = new Set(until(HOUR_MS / 4, 5).map((step) => step.do));
  expect(done).toEqual(new Set(['connect', 'disconnect', 'enter', 'leave', 'talk', 'write', 'show', 'move']));
});

test('nobody writes more than the server takes of one', () => {
  const written = until(HOUR_MS, 6).filter((step) => step.do === 'write');
  for (const [index, { who, at }] of written.entries()) {
    const near = written.slice(index).filter((other) => other.who === who && other.at < at + 15_000);
    expect(near.length).toBeLessThan(10);
  }
});

test('steps happen in their time; after the machine slept the story goes on, not all at once', async () => {
  const plan: Step[] = [100, 200, 60_000, 61_000].map((at) => ({ do: 'connect', who: 1, at }));
  let now = 1_000;
  const begun: number[] = [];
  await live({
    plan: plan[Symbol.iterator](),
    steadyNow: () => now,
    async wait(ms) {
      // The machine sleeps for an hour before the third step.
      now += begun.length === 2 ? ms + HOUR_MS : ms;
    },
    begin: () => begun.push(now),
  });
  expect(begun).toEqual([1_100, 1_200, 61_000 + HOUR_MS, 62_000 + HOUR_MS]);
});

test('no wait is negative, whatever the clock does between two readings', async () => {
  let now = 0;
  const waited: number[] = [];
  const plan = Array.from({ length: 50 }, (_, index): Step => ({ do: 'connect', who: 1, at: index * 20 }));
  await live({
    plan: plan[Symbol.iterator](),
    steadyNow: () => {
      now += 7;
      return now;
    },
    wait: async (ms) => waited.push(ms),
    begin: () => undefined,
  });
  expect(waited.length).toBeGreaterThan(0);
  expect(Math.min(...waited)).toBeGreaterThan(0);
});

test('it ends when waiting is broken off', async () => {
  const waits = live({
    plan: planLife(createRandom(1)),
    steadyNow: () => 0,
    wait: () => Promise.reject(new Error('over')),
    begin: () => undefined,
  });
  await expect(waits).rejects.toThrow('over');
});
