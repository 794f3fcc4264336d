import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTurnstile, type TurnstileDeps } from './admission.ts';
import type { Payer } from './budget.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A payer whose points come back at a rate, by the test's clock. */
function payerWith(key: string, points: number, perSecond = 1): Payer {
  let paid = 0;
  const left = () => points - paid + (performance.now() / 1_000) * perSecond;
  return {
    key,
    waitMs: (needed = 1) => Math.max(0, Math.ceil(((needed - left()) / perSecond) * 1_000)),
    pay(cost) {
      paid += cost;
    },
  };
}

function start(deps: Partial<TurnstileDeps> = {}) {
  const turns: (() => void)[] = [];
  const turnstile = createTurnstile({ nextTurn: (callback) => void turns.push(callback), ...deps });
  /** The outcome of each request, in order. */
  const told: string[] = [];
  return {
    turnstile,
    told,
    enter: (payer: Payer, name: string) =>
      turnstile.enter(payer, {
        go: () => void told.push(name),
        refuse: (seconds, isHeld) => void told.push(`${name} refused ${isHeld ? 'late' : 'at once'}: ${seconds} s`),
      }),
    /** Lets turns of the event loop pass. */
    turn(count = 1) {
      for (let done = 0; done < count; done += 1) for (const callback of turns.splice(0)) callback();
    },
  };
}

describe('the turnstile', () => {
  test('lets a request in at once where nobody else asks', () => {
    const { enter, told } = start();
    enter(payerWith('ana', 5), 'first');
    expect(told).toEqual(['first']);
  });

  test('[BUDGET4] lets one in for each turn of the event loop, whoever asks how much: payers take turns', () => {
    const { enter, told, turn } = start();
    const [ana, bo] = [payerWith('ana', 100), payerWith('bo', 100)];
    for (let index = 0; index < 20; index += 1) enter(ana, `ana ${index}`);
    enter(bo, 'bo 0');
    enter(bo, 'bo 1');
    expect(told).toEqual(['ana 0']);
    turn();
    expect(told).toHaveLength(2);
    turn(4);
    expect(told).toEqual(['ana 0', 'ana 1', 'bo 0', 'ana 2', 'bo 1', 'ana 3']);
  });

  test('[BUDGET4] whoever has no points left waits for them, and holds up nobody else', async () => {
    const { enter, told, turn } = start();
    const ana = payerWith('ana', 1);
    enter(ana, 'ana 0');
    enter(ana, 'ana 1');
    turn(5);
    enter(payerWith('bo', 1), 'bo');
    expect(told).toEqual(['ana 0', 'bo']);
    turn();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual(['ana 0', 'bo', 'ana 1']);
  });

  test('[BUDGET4] who waits too long is refused then, and told how long to wait', async () => {
    const { enter, told, turn } = start({ patienceMs: 3_000 });
    const ana = payerWith('ana', 1, 0.1);
    enter(ana, 'ana 0');
    enter(ana, 'ana 1');
    turn();
    await vi.advanceTimersByTimeAsync(2_999);
    expect(told).toEqual(['ana 0']);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toEqual(['ana 0', 'ana 1 refused late: 7 s']);
  });

  test('[BUDGET4] whoever has points is not refused because the server stood still', async () => {
    const { enter, told, turn } = start({ patienceMs: 3_000 });
    const ana = payerWith('ana', 5);
    enter(ana, 'ana 0');
    const leave = enter(ana, 'ana 1');
    enter(ana, 'ana 2');
    // As after a machine slept: the clock has moved on, and no turn has passed.
    await vi.advanceTimersByTimeAsync(10_000);
    leave();
    turn(3);
    expect(told).toEqual(['ana 0', 'ana 2']);
    const points = vi.spyOn(ana, 'waitMs');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(told).toEqual(['ana 0', 'ana 2']);
    expect(points, 'nobody waits any more').not.toHaveBeenCalled();
  });

  test('[BUDGET4] a client that asks again at once is refused once in the time of waiting, not as fast as it asks', async () => {
    const { turnstile, turn } = start({ patienceMs: 3_000 });
    const ana = payerWith('ana', 1, 0.001);
    let asked = 0;
    const ask = () => {
      asked += 1;
      turnstile.enter(ana, { go: ask, refuse: ask });
    };
    for (let lane = 0; lane < 64; lane += 1) ask();
    turn(1_000);
    await vi.advanceTimersByTimeAsync(29_000);
    expect(asked).toBeLessThanOrEqual(64 * 10 + 1);
  });

  test('[BUDGET4] where too many wait already, of one payer or in all, the next is refused at once', () => {
    const { enter, told } = start({ waitingOfPayer: 2, waitingInAll: 3 });
    const [ana, bo] = [payerWith('ana', 1), payerWith('bo', 1)];
    for (let index = 0; index < 4; index += 1) enter(ana, `ana ${index}`);
    enter(bo, 'bo 0');
    enter(bo, 'bo 1');
    expect(told).toEqual(['ana 0', 'ana 3 refused at once: 3 s', 'bo 1 refused at once: 1 s']);
  });

  test('[BUDGET6] whoever hung up is out of the queue', async () => {
    const { enter, told, turn } = start({ waitingOfPayer: 1 });
    const ana = payerWith('ana', 5);
    enter(ana, 'ana 0');
    const leave = enter(ana, 'ana 1');
    leave();
    enter(ana, 'ana 2');
    turn(5);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual(['ana 0', 'ana 2']);
  });

  test('closing refuses those who wait, and nothing happens later', async () => {
    const { enter, turnstile, told, turn } = start();
    const ana = payerWith('ana', 1);
    enter(ana, 'ana 0');
    enter(ana, 'ana 1');
    turnstile.close();
    turn(3);
    const points = vi.spyOn(ana, 'waitMs');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toEqual(['ana 0', 'ana 1 refused at once: 1 s']);
    expect(points, 'nobody waits any more').not.toHaveBeenCalled();
  });
});
