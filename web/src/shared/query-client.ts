import { type Query, QueryClient } from '@tanstack/react-query';
import { isUnreachable } from './api/api-error.ts';

/**
 * The cache of server data. Socket events invalidate it, so refetching on focus is off. Refused calls are not retried;
 * calls without an answer are retried twice.
 */
export function createQueryClient(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        networkMode: 'always',
        retry: (count, error) => count < 2 && isUnreachable(error),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  keepFirstReads(queries);
  return queries;
}

/**
 * Reads again what is invalidated during its first read. TanStack Query restarts only later reads, and the first answer
 * may be older than the reason.
 */
function keepFirstReads(queries: QueryClient): void {
  const outdated = new WeakSet<Query>();
  queries.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    if (action.type === 'fetch') outdated.delete(query);
    const isFirst = query.state.data === undefined && query.state.fetchStatus !== 'idle';
    if (action.type === 'invalidate' && isFirst) outdated.add(query);
    if (action.type === 'success' && outdated.delete(query)) {
      void queries.invalidateQueries({ predicate: (one) => one === query });
    }
  });
}
