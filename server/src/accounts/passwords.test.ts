import { availableParallelism } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createPasswords } from './passwords.ts';

const CORES = availableParallelism();

/** Passwords whose hashes are computed when a test says so. */
async function open(lanes?: number) {
  /** Passwords that are being hashed, and how to end each. */
  const underWay: { password: string; end: () => void }[] = [];
  let isHeld = false;
  const hash = async (password: string | Uint8Array) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (isHeld) underWay.push({ password: String(password), end: resolve });
    else resolve();
    await promise;
    return `hash of ${String(password)}`;
  };
  const passwords = await createPasswords(undefined, { hash, verify: async () => true }, lanes);
  isHeld = true;
  /** Ends the current hashes, and waits for those that begin next. @returns the ended ones */
  const step = async () => {
    const ended = underWay.splice(0);
    for (const { end } of ended) end();
    await nextTurn();
    return ended.map(({ password }) => password);
  };
  const importAll = (name: string, count: number, signal = new AbortController().signal) =>
    passwords.hashAll(
      Array.from({ length: count }, (_, index) => `${name}${index}`),
      signal,
      () => undefined,
    );
  return { passwords, underWay, step, importAll };
}

describe('[IMP36] imports that hash at the same time', () => {
  test('use as many threads as one does, and leave a thread to whoever signs up meanwhile', async () => {
    const { passwords, underWay, step, importAll } = await open();
    const [a, b] = [importAll('a', 3 * CORES), importAll('b', 2 * CORES)];
    await nextTurn();
    expect(underWay).toHaveLength(CORES);
    const alone = passwords.hash('sign-up');
    expect(underWay.map(({ password }) => password)).toContain('sign-up');
    const order = [];
    while (underWay.length > 0) {
      order.push((await step()).filter((password) => password !== 'sign-up'));
      expect(underWay.length).toBeLessThanOrEqual(CORES);
    }
    // They take turns while both have something left.
    expect(order.map((turn) => new Set(turn.map((password) => password.charAt(0))))).toEqual(
      ['a', 'b', 'a', 'b', 'a'].map((name) => new Set([name])),
    );
    expect(await a).toEqual(Array.from({ length: 3 * CORES }, (_, index) => `hash of a${index}`));
    expect(await b).toHaveLength(2 * CORES);
    expect(await alone).toBe('hash of sign-up');
  });

  test('[PROC88] use the cores that this process is given', async () => {
    const { step, underWay, importAll } = await open(1);
    const both = Promise.all([importAll('a', 2), importAll('b', 2)]);
    await nextTurn();
    const order: string[][] = [];
    while (underWay.length > 0) order.push(await step());
    expect(order).toEqual([['a0'], ['b0'], ['a1'], ['b1']]);
    expect(await both).toHaveLength(2);
  });

  test('one that is cancelled hashes nothing more, and the other goes on', async () => {
    const { step, underWay, importAll } = await open();
    const stop = new AbortController();
    const cancelled = importAll('a', 10 * CORES, stop.signal);
    const other = importAll('b', CORES);
    cancelled.catch(() => undefined);
    await nextTurn();
    stop.abort(new Error('cancelled'));
    await step();
    expect(underWay.every(({ password }) => password.startsWith('b'))).toBe(true);
    while (underWay.length > 0) await step();
    await expect(cancelled).rejects.toThrow('cancelled');
    expect(await other).toHaveLength(CORES);
  });
});
