import { QueryObserver } from '@tanstack/react-query';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createQueryClient } from './queries.tsx';

/** Opens a list that somebody watches; the test answers each of its reads. */
function watchList() {
  const queries = createQueryClient();
  const reads: PromiseWithResolvers<string>[] = [];
  const list = new QueryObserver(queries, {
    queryKey: ['list'],
    queryFn: () => {
      const read = Promise.withResolvers<string>();
      reads.push(read);
      return read.promise;
    },
    retry: false,
  });
  const stop = list.subscribe(() => undefined);
  onTestFinished(stop);
  const answer = async (index: number, text: string) => {
    reads[index]?.resolve(text);
    await vi.waitFor(() => expect(list.getCurrentResult().data).toBe(text));
  };
  return { queries, reads, list, stop, answer };
}

test('news that come while a list is read for the first time have it read once more', async () => {
  const { queries, reads, answer } = watchList();
  void queries.invalidateQueries({ queryKey: ['list'] });
  void queries.invalidateQueries({ queryKey: ['list'] });
  expect(reads).toHaveLength(1);
  await answer(0, 'before the news');
  await vi.waitFor(() => expect(reads).toHaveLength(2));
  await answer(1, 'after them');
  expect(queries.isFetching()).toBe(0);
  expect(reads).toHaveLength(2);
});

test('a list without news is read once', async () => {
  const { queries, reads, answer } = watchList();
  await answer(0, 'all');
  await vi.waitFor(() => expect(queries.isFetching()).toBe(0));
  expect(reads).toHaveLength(1);
});

test('a first read that failed after news is no reason to read twice later', async () => {
  const { queries, reads, list, answer } = watchList();
  void queries.invalidateQueries({ queryKey: ['list'] });
  reads[0]?.reject(new Error('refused'));
  await vi.waitFor(() => expect(list.getCurrentResult().isError).toBe(true));
  void list.refetch();
  await answer(1, 'all');
  await vi.waitFor(() => expect(queries.isFetching()).toBe(0));
  expect(reads).toHaveLength(2);
});

test('a list that nobody watches any more is read again by whoever does next', async () => {
  const { queries, reads, stop } = watchList();
  void queries.invalidateQueries({ queryKey: ['list'] });
  stop();
  reads[0]?.resolve('before the news');
  const isStale = () => queries.getQueryCache().find({ queryKey: ['list'] })?.state.isInvalidated;
  await vi.waitFor(() => expect(isStale()).toBe(true));
  await vi.waitFor(() => expect(queries.getQueryData(['list'])).toBe('before the news'));
  await vi.waitFor(() => expect(isStale()).toBe(true));
  expect(reads).toHaveLength(1);
});
