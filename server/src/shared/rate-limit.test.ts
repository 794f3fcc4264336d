import { describe, expect, test } from 'vitest';
import { createAllowance, createRateLimit } from './rate-limit.ts';

describe('an allowance', () => {
  const setup = (burst: number, perSecond: number) => {
    let now = 1000;
    const allowance = createAllowance(burst, perSecond, () => now);
    const taken = (attempts: number) => Array.from({ length: attempts }, () => allowance.take()).filter(Boolean).length;
    return { allowance, taken, pass: (ms: number) => (now += ms) };
  };

  test('lets a burst through and no more', () => expect(setup(5, 1).taken(20)).toBe(5));

  test('refills with time, up to the burst', () => {
    const { taken, pass } = setup(5, 2);
    taken(5);
    pass(999);
    expect(taken(5)).toBe(1);
    pass(1);
    expect(taken(5)).toBe(1);
    pass(3_600_000);
    expect(taken(20)).toBe(5);
  });

  test('refusals cost nothing', () => {
    const { taken, pass } = setup(1, 1);
    taken(1000);
    pass(1000);
    expect(taken(1)).toBe(1);
  });

  test('is the same in the long run however often one asks', () => {
    const { taken, pass } = setup(10, 100);
    let total = 0;
    for (let ms = 0; ms < 10_000; ms += 1) {
      total += taken(3);
      pass(1);
    }
    expect(total).toBeGreaterThanOrEqual(1000);
    expect(total).toBeLessThanOrEqual(1011);
  });
});

describe('a rate limit', () => {
  test('refuses the attempt after the last, with the seconds to wait, per key', async () => {
    const limit = createRateLimit({ attempts: 2, seconds: 60 });
    await limit.take('a');
    await limit.take('a');
    await expect(limit.take('a')).rejects.toMatchObject({ code: 'too_many', params: { retryAfterSeconds: 60 } });
    await limit.take('b');
  });

  test('an attempt can be given back, and all can be forgotten', async () => {
    const limit = createRateLimit({ attempts: 1, seconds: 60 });
    await limit.take('a');
    await limit.giveBack('a');
    await limit.take('a');
    await expect(limit.take('a')).rejects.toThrow('too_many');
    await limit.reset('a');
    await limit.take('a');
  });

  test.each(['__proto__', 'constructor', '', 'x'.repeat(10_000)])('the key %j is a key like any other', async (key) => {
    const limit = createRateLimit({ attempts: 1, seconds: 60 });
    await limit.take(key);
    await expect(limit.take(key)).rejects.toThrow('too_many');
  });
});
