import { type Query, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isUnreachable } from './api/api-error.ts';
import { useSession } from './services.tsx';
import type { Session } from './session.ts';

/** One cache per session; an app has one session. */
const caches = new WeakMap<Session, QueryClient>();

/**
 * Returns the cache of server data, made on the first call. The sign-in pages read no data and do without its library.
 * The cache is emptied when the user changes, so that no data of one user is shown to another.
 */
export function queriesOf(session: Session): QueryClient {
  const known = caches.get(session);
  if (known !== undefined) return known;
  const cache = createQueryClient();
  caches.set(session, cache);
  const userOf = () => {
    const state = session.getSnapshot();
    return state.state === 'signedIn' ? state.user.id : undefined;
  };
  let last = userOf();
  session.subscribe(() => {
    const { state } = session.getSnapshot();
    const now = userOf();
    if (state === 'signedOut' || (now !== undefined && last !== undefined && now !== last)) cache.clear();
    last = now ?? last;
  });
  return cache;
}

/** Provides the app's cache of server data. */
export function Queries({ children }: { children: ReactNode }) {
  return <QueryClientProvider client={queriesOf(useSession())}>{children}</QueryClientProvider>;
}

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
