import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createQueryPatcher } from './patch-queries.ts';

let queries: QueryClient;
beforeEach(() => {
  vi.useFakeTimers();
  queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } } });
});
afterEach(() => {
  queries.clear();
  vi.useRealTimers();
});

const plus = (by: number) => (data: number) => data + by;

test('changes what was read under a key and those that begin with it, and reads nothing', async () => {
  const read = vi.fn(async () => 1);
  for (const queryKey of [['a', 1], ['a', 2], ['b']]) await queries.fetchQuery({ queryKey, queryFn: read });
  const patcher = createQueryPatcher(queries);
  patcher.patch<number>(['a'], plus(10));
  await vi.advanceTimersByTimeAsync(5_000);
  expect([['a', 1], ['a', 2], ['b']].map((key) => queries.getQueryData(key))).toEqual([11, 11, 1]);
  expect(read).toHaveBeenCalledTimes(3);
  patcher.close();
});

test('a list that is due to be read again stays so', async () => {
  await queries.fetchQuery({ queryKey: ['a'], queryFn: async () => 1 });
  await queries.invalidateQueries({ queryKey: ['a'] });
  const patcher = createQueryPatcher(queries);
  patcher.patch<number>(['a'], plus(1));
  expect(queries.getQueryState(['a'])).toMatchObject({ data: 2, isInvalidated: true });
  patcher.close();
});

test('what is being read at the moment of the news is read again: it may be older', async () => {
  const answers = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  let asked = 0;
  const queryFn = () => {
    asked += 1;
    return answers[asked - 1]?.promise ?? 0;
  };
  const stop = new QueryObserver(queries, { queryKey: ['a'], queryFn }).subscribe(() => undefined);
  const patcher = createQueryPatcher(queries);
  patcher.patch<number>(['a'], plus(1));
  answers[0]?.resolve(1);
  answers[1]?.resolve(2);
  await vi.advanceTimersByTimeAsync(5_000);
  expect([asked, queries.getQueryData(['a'])]).toEqual([2, 2]);
  patcher.close();
  stop();
});

test('a list that may have other rows by the news is read again', async () => {
  await queries.fetchQuery({ queryKey: ['a'], queryFn: async () => 1 });
  const patcher = createQueryPatcher(queries);
  patcher.patch<number>(
    ['a'],
    (data) => data,
    () => true,
  );
  await vi.advanceTimersByTimeAsync(5_000);
  expect(queries.getQueryState(['a'])?.isInvalidated).toBe(true);
  patcher.close();
});
