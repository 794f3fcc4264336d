import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Relay } from '#src/processes/relay.ts';
import { createSettle } from './settle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Heard = (message: unknown) => void;

/** Processes that hear each other at once. */
function createProcesses(count: number, there = count) {
  const ids = Array.from({ length: there }, (_, of) => `process ${of}`);
  let isLinked = true;
  const heard: { topic: string; of: number; follow: Heard }[] = [];
  const processes = Array.from({ length: count }, (_, of) => {
    const flushes: PromiseWithResolvers<void>[] = [];
    const relay: Pick<Relay, 'send' | 'on' | 'isLinked'> = {
      isLinked: () => isLinked,
      on: (topic, schema, follow) =>
        void heard.push({ topic, of, follow: (message) => follow(schema.parse(message), null) }),
      send(topic, message) {
        for (const one of heard) if (one.topic === topic && one.of !== of) one.follow(message);
      },
    };
    const flush = () => {
      const one = Promise.withResolvers<void>();
      flushes.push(one);
      return one.promise;
    };
    const processId = `process ${of}`;
    const listOthers = async () => ids.filter((id) => id !== processId);
    return { flushes, settle: createSettle({ processId, flush, relay, listOthers }) };
  });
  const cutOff = () => {
    isLinked = false;
  };
  return [processes, cutOff] as const;
}

/** Whether the work is over once everything that can go on went on. */
async function isOver(work: Promise<void>): Promise<boolean> {
  let over = false;
  void work.then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return over;
}

test('[LOG22] a place is named when every process has stored what waited there', async () => {
  const [[one, two, three]] = createProcesses(3);
  const settling = one?.settle.everywhere() as Promise<void>;
  expect(await isOver(settling)).toBe(false);
  one?.flushes[0]?.resolve();
  two?.flushes[0]?.resolve();
  expect(await isOver(settling)).toBe(false);
  // Its database is away for a moment: its entries are not stored, and nobody should wait for that.
  three?.flushes[0]?.reject(new Error('away'));
  expect(await isOver(settling)).toBe(true);
});

test('[LOG22] a process that died is not waited for longer than a living one may take', async () => {
  const [[one, two]] = createProcesses(2, 3);
  const settling = one?.settle.everywhere() as Promise<void>;
  await vi.advanceTimersByTimeAsync(0);
  one?.flushes[0]?.resolve();
  two?.flushes[0]?.resolve();
  await vi.advanceTimersByTimeAsync(600);
  expect(await isOver(settling)).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  expect(await isOver(settling)).toBe(true);
});

test('[LOG22] without other processes the own entries are enough', async () => {
  const [[one]] = createProcesses(1);
  const settling = one?.settle.everywhere() as Promise<void>;
  await vi.advanceTimersByTimeAsync(0);
  one?.flushes[0]?.resolve();
  expect(await isOver(settling)).toBe(true);
});

describe('[PROC70] whoever reads what happened last', () => {
  test('waits until every process has stored what waited there', async () => {
    const [[one, two]] = createProcesses(2);
    const settling = one?.settle.soon() as Promise<void>;
    one?.flushes[0]?.resolve();
    expect(await isOver(settling)).toBe(false);
    two?.flushes[0]?.resolve();
    expect(await isOver(settling)).toBe(true);
  });

  test('waits once for a process that died, and again for one that answers late', async () => {
    const [[one, two]] = createProcesses(2, 3);
    const first = one?.settle.soon() as Promise<void>;
    await vi.advanceTimersByTimeAsync(0);
    one?.flushes[0]?.resolve();
    await vi.advanceTimersByTimeAsync(699);
    expect(await isOver(first)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isOver(first)).toBe(true);
    const second = one?.settle.soon() as Promise<void>;
    one?.flushes[1]?.resolve();
    expect(await isOver(second), 'nobody else ever answers').toBe(true);
    two?.flushes[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);
    const third = one?.settle.soon() as Promise<void>;
    one?.flushes[2]?.resolve();
    expect(await isOver(third)).toBe(false);
    two?.flushes[2]?.resolve();
    expect(await isOver(third)).toBe(true);
  });

  test('waits for nobody while Redis is away', async () => {
    const [[one], cutOff] = createProcesses(2);
    cutOff();
    const settling = one?.settle.soon() as Promise<void>;
    one?.flushes[0]?.resolve();
    expect(await isOver(settling)).toBe(true);
  });

  test('asks once for all who ask while it is asked', async () => {
    const [[one, two]] = createProcesses(2);
    const first = one?.settle.soon();
    const others = Array.from({ length: 5 }, () => one?.settle.soon() as Promise<void>);
    for (const round of [0, 1]) {
      await vi.advanceTimersByTimeAsync(0);
      for (const process of [one, two]) process?.flushes[round]?.resolve();
    }
    await Promise.all([first, ...others]);
    expect([one?.flushes.length, two?.flushes.length]).toEqual([2, 2]);
  });
});
