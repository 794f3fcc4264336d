import { describe, expect, test, vi } from 'vitest';
import { AppError } from '#src/shared/app-error.ts';
import { createAllowance, createHastyLimit, createRateLimit } from './rate-limit.ts';

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

describe('[PROC91] a limit of which whoever is far from it does not wait for the count', () => {
  const amount = { attempts: 4, seconds: 60 };
  const overDone = new AppError('too_many', { retryAfterSeconds: 1 });
  const silent = () => Promise.withResolvers<void>().promise;
  const [note, countNoted] = [() => undefined, () => undefined];
  const isSettled = async (taken: Promise<void>) => {
    const first = await Promise.race([taken.then(() => 'settled'), new Promise((resolve) => setImmediate(resolve))]);
    return first === 'settled';
  };

  test('half of the attempts are let through at once, and counted; the others wait', async () => {
    const counted: string[] = [];
    const note = (key: string) => void counted.push(key);
    const take = (key: string) => {
      counted.push(key);
      return silent();
    };
    const limit = createHastyLimit({ take, note, countNoted }, amount);
    await limit.take('ana');
    await limit.take('ana');
    expect(await isSettled(limit.take('ana'))).toBe(false);
    await limit.take('bo');
    expect(counted).toEqual(['ana', 'ana', 'ana', 'bo']);
  });

  test('what another process counted is part of that half', async () => {
    const limit = createHastyLimit({ take: silent, note, countNoted }, amount);
    limit.heard('ana');
    limit.heard('ana');
    expect(await isSettled(limit.take('ana'))).toBe(false);
  });

  test('when its time is over, the next half begins', async () => {
    let time = 0;
    const limit = createHastyLimit({ take: silent, note, countNoted }, amount, () => time);
    await limit.take('ana');
    time = 59_999;
    await limit.take('ana');
    expect(await isSettled(limit.take('ana'))).toBe(false);
    time = 60_000;
    await limit.take('ana');
    await limit.take('ana');
    expect(await isSettled(limit.take('ana'))).toBe(false);
  });

  test('what is only noted is counted at once when it turns out that their half is over', async () => {
    const countAll = vi.fn();
    const limit = createHastyLimit({ take: silent, note, countNoted: countAll }, amount);
    await limit.take('ana');
    limit.heard('ana');
    await new Promise((resolve) => setImmediate(resolve));
    expect(countAll).not.toHaveBeenCalled();
    limit.heard('ana');
    await new Promise((resolve) => setImmediate(resolve));
    expect(countAll).toHaveBeenCalledTimes(1);
  });

  test('whoever waits is refused by the count; whoever doesn’t is not', async () => {
    const limit = createHastyLimit({ take: () => Promise.reject(overDone), note, countNoted }, amount);
    await limit.take('ana');
    await limit.take('ana');
    await expect(limit.take('ana')).rejects.toBe(overDone);
  });
});
