import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { inGroups, type Turn } from './in-groups.ts';

const PATIENCE_MS = 1_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('[PRES47] work in groups', () => {
  /** Work that is begun, by name, and ends when told to. */
  function works(most: number) {
    const run = inGroups({ most, patienceMs: PATIENCE_MS });
    const begun: string[] = [];
    const ends = new Map<string, PromiseWithResolvers<string>>();
    return {
      begun,
      add(name: string, turn?: Turn) {
        const end = Promise.withResolvers<string>();
        ends.set(name, end);
        return run(() => {
          begun.push(name);
          return end.promise;
        }, turn);
      },
      async end(...names: string[]) {
        for (const name of names) ends.get(name)?.resolve(name);
        await vi.advanceTimersByTimeAsync(0);
      },
      async fail(name: string) {
        ends.get(name)?.reject(new Error('Stop'));
        await vi.advanceTimersByTimeAsync(0);
      },
    };
  }

  test('a few begin at once, and the others together once half of them are done, in their order', async () => {
    const { add, begun, end } = works(4);
    const all = ['a', 'b'].map((name) => add(name));
    expect(begun).toEqual(['a', 'b']);
    all.push(...['c', 'd', 'e', 'f'].map((name) => add(name)));
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
    await end('a', 'c');
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
    await end('d');
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    await end('e', 'f');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  test('what goes before others begins first', async () => {
    const { add, begun, end } = works(2);
    for (const name of ['a', 'b', 'c']) void add(name);
    void add('first', 'next');
    await end('a');
    expect(begun).toEqual(['a', 'first', 'b']);
  });

  test('what begins at once waits for nothing, and what waits begins later for it', async () => {
    const { add, begun, end } = works(4);
    for (const name of ['a', 'b', 'c', 'd']) void add(name);
    for (const name of ['now', 'too']) void add(name, 'at once');
    expect(begun).toEqual(['a', 'b', 'now', 'too']);
    await end('a', 'b');
    expect(begun).toEqual(['a', 'b', 'now', 'too']);
    await end('now');
    expect(begun).toEqual(['a', 'b', 'now', 'too', 'c', 'd']);
  });

  test('work that fails, at once or later, makes room as any other does', async () => {
    const run = inGroups({ most: 2, patienceMs: PATIENCE_MS });
    const { add, begun, fail } = works(2);
    const first = expect(add('a')).rejects.toThrow('Stop');
    void add('b');
    await fail('a');
    await first;
    expect(begun).toEqual(['a', 'b']);
    const thrown = () => {
      throw new Error('At once');
    };
    await expect(run(thrown)).rejects.toThrow('At once');
    expect(await run(async () => 'next')).toBe('next');
  });

  test('work that hangs holds up the others for a second', async () => {
    const { add, begun, end } = works(2);
    const hung = add('hung');
    void add('b');
    await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
    expect(begun).toEqual(['hung']);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['hung', 'b']);
    // Its late end makes no second room.
    void add('c');
    await end('hung');
    expect(begun).toEqual(['hung', 'b']);
    expect(await hung).toBe('hung');
  });

  test('work runs within the request that it was for, whoever begins it', async () => {
    const requests = new AsyncLocalStorage<string>();
    const run = inGroups({ most: 2, patienceMs: PATIENCE_MS });
    const end = Promise.withResolvers<void>();
    const seen: (string | undefined)[] = [];
    const note = () => void seen.push(requests.getStore());
    void requests.run('one', () => run(() => end.promise.then(note)));
    const two = requests.run('two', () => run(async () => note()));
    end.resolve();
    await two;
    expect(seen).toEqual(['one', 'two']);
  });
});
