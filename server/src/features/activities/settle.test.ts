import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Relay } from '#src/shared/relay.ts';
import { createSettle } from './settle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Heard = (message: unknown) => void;

/** Processes that hear each other at once. */
function createProcesses(count: number, othersThere = count - 1) {
  const heard: { topic: string; of: number; follow: Heard }[] = [];
  return Array.from({ length: count }, (_, of) => {
    const flushes: PromiseWithResolvers<void>[] = [];
    const relay: Pick<Relay, 'say' | 'on'> = {
      on: (topic, schema, follow) => void heard.push({ topic, of, follow: (message) => follow(schema.parse(message)) }),
      say(topic, message) {
        for (const one of heard) if (one.topic === topic && one.of !== of) one.follow(message);
      },
    };
    const flush = () => {
      const one = Promise.withResolvers<void>();
      flushes.push(one);
      return one.promise;
    };
    return { flushes, settle: createSettle({ flush, relay, countOthers: async () => othersThere }) };
  });
}

/** Whether it is over once everything that can go on went on. */
async function isOver(work: Promise<void>): Promise<boolean> {
  let over = false;
  void work.then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return over;
}

test('[LOG22] a place is named when every process has stored what waited there', async () => {
  const [one, two, three] = createProcesses(3);
  const settling = one?.settle() as Promise<void>;
  expect(await isOver(settling)).toBe(false);
  one?.flushes[0]?.resolve();
  two?.flushes[0]?.resolve();
  expect(await isOver(settling)).toBe(false);
  // Its database is away for a moment: its entries are not stored, and nobody is to wait for that.
  three?.flushes[0]?.reject(new Error('away'));
  expect(await isOver(settling)).toBe(true);
});

test('[LOG22] a process that died is not waited for longer than a living one may take', async () => {
  const [one, two] = createProcesses(2, 2);
  const settling = one?.settle() as Promise<void>;
  await vi.advanceTimersByTimeAsync(0);
  one?.flushes[0]?.resolve();
  two?.flushes[0]?.resolve();
  await vi.advanceTimersByTimeAsync(600);
  expect(await isOver(settling)).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  expect(await isOver(settling)).toBe(true);
});

test('[LOG22] without other processes the own entries are enough', async () => {
  const [one] = createProcesses(1);
  const settling = one?.settle() as Promise<void>;
  await vi.advanceTimersByTimeAsync(0);
  one?.flushes[0]?.resolve();
  expect(await isOver(settling)).toBe(true);
});
