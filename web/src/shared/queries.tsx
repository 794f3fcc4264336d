import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { createQueryClient } from './query-client.ts';
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
