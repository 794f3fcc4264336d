import { describe, expect, test } from 'vitest';
import { followClock } from './clock.ts';

const NOON = Date.UTC(2026, 10, 26, 12);

describe('[PROC92] the time of a server that several processes ask', () => {
  /** A server that answers after `there` + `back` ms, and a process whose own steady clock began at any value. */
  async function follow() {
    const world = { steady: 5_000, server: NOON, there: 2, back: 2 };
    const pass = (ms: number) => {
      world.steady += ms;
      world.server += ms;
    };
    const readTime = async () => {
      pass(world.there);
      const said = world.server;
      pass(world.back);
      return said;
    };
    return { world, pass, clock: await followClock(readTime, () => world.steady) };
  }

  test('is known from the start, and goes on between answers', async () => {
    const { world, pass, clock } = await follow();
    expect(+clock.now()).toBe(world.server);
    pass(60_000);
    expect(+clock.now()).toBe(world.server);
  });

  test('is wrong by half of the round trip at most', async () => {
    const { world, clock } = await follow();
    world.there = 400;
    world.back = 0;
    await clock.ask();
    expect(Math.abs(+clock.now() - world.server)).toBeLessThanOrEqual(2);
  });

  test('a small correction never puts it back', async () => {
    const { world, pass, clock } = await follow();
    const before = +clock.now();
    world.server -= 300;
    await clock.ask();
    expect(+clock.now()).toBe(before);
    pass(1_000);
    expect(+clock.now()).toBe(world.server);
  });

  test('a clock that is set is followed, back and forth', async () => {
    const { world, clock } = await follow();
    for (const step of [-3_600_000, 7_200_000]) {
      world.server += step;
      await clock.ask();
      expect(+clock.now()).toBe(world.server);
    }
  });

  test('an answer that fails changes nothing', async () => {
    let fails = false;
    const clock = await followClock(
      async () => {
        if (fails) throw new Error('away');
        return NOON;
      },
      () => 0,
    );
    fails = true;
    await expect(clock.ask()).rejects.toThrow('away');
    expect(+clock.now()).toBe(NOON);
  });
});
