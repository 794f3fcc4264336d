import { describe, expect, test } from 'vitest';
import { createKeyedLock } from './keyed-lock.ts';

describe('a keyed lock', () => {
  test('runs tasks of one key one after the other, in order', async () => {
    const lock = createKeyedLock();
    const events: string[] = [];
    const first = Promise.withResolvers<void>();
    const runs = [
      lock.run('a', async () => {
        events.push('first begins');
        await first.promise;
        events.push('first ends');
      }),
      lock.run('a', async () => void events.push('second')),
      lock.run('a', async () => void events.push('third')),
    ];
    await lock.run('b', async () => void events.push('other key'));
    first.resolve();
    await Promise.all(runs);
    expect(events).toEqual(['first begins', 'other key', 'first ends', 'second', 'third']);
  });

  test('gives back what the task gives, and throws what it throws', async () => {
    const lock = createKeyedLock();
    expect(await lock.run('a', async () => 7)).toBe(7);
    await expect(lock.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  test('goes on after a task that failed', async () => {
    const lock = createKeyedLock();
    const failing = lock.run('a', () => Promise.reject(new Error('no')));
    const next = lock.run('a', async () => 'next');
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('next');
  });

  test('allows nesting with different keys', async () => {
    const lock = createKeyedLock();
    expect(await lock.run('a', () => lock.run('b', () => lock.run('c', async () => 'inside')))).toBe('inside');
  });
});
