import type { QueryClient } from '@tanstack/react-query';
import { USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';

/** Bursts of events read the pages shown at most this often, ms. */
const THROTTLE_MS = 400;

/** Keeps the users in step with the server: accounts, who is in which channel, who is online. Returns the way to stop. */
export function bindUsers(realtime: Pick<Realtime, 'on'>, queries: Pick<QueryClient, 'invalidateQueries'>) {
  const refresh = throttle(() => void queries.invalidateQueries({ queryKey: USERS_KEY }), THROTTLE_MS);
  const stops = [
    realtime.on('changed', ({ what }) => {
      if (what !== 'channels') refresh.call();
    }),
    realtime.on('onUserStatusChanged', refresh.call),
    refresh.close,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
