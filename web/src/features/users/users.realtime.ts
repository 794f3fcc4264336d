import type { QueryClient } from '@tanstack/react-query';
import { gather } from '#src/shared/realtime/gather.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';

/** Bursts of events read the list at most this often, ms: it is the longest one. */
const GATHER_MS = 2_000;

/** Keeps the users in step with the server. Returns the way to stop. */
export function bindUsers(realtime: Pick<Realtime, 'on'>, queries: Pick<QueryClient, 'invalidateQueries'>) {
  const refresh = gather(() => void queries.invalidateQueries({ queryKey: ['users'] }), GATHER_MS);
  const stops = [
    realtime.on('changed', ({ what }) => {
      if (what === 'users') refresh.call();
    }),
    realtime.on('onUserStatusChanged', refresh.call),
    refresh.close,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
