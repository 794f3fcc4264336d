import type { Query, QueryClient } from '@tanstack/react-query';
import { CHANNELS_KEY, isMembersPage, USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';

/** Minimum interval between refreshes caused by events, ms. */
const THROTTLE_MS = 500;

/** Refreshes channels on events about memberships, names and presence. Returns the unsubscribe function. */
export function bindChannels(realtime: Pick<Realtime, 'on'>, queries: Pick<QueryClient, 'invalidateQueries'>) {
  const refresh = throttle(() => void queries.invalidateQueries({ queryKey: CHANNELS_KEY }), THROTTLE_MS);
  // Only pages of users with `isMember` depend on memberships.
  const marks = throttle(
    () =>
      void queries.invalidateQueries({
        queryKey: USERS_KEY,
        predicate: ({ queryKey }: Query) => isMembersPage(queryKey),
      }),
    THROTTLE_MS,
  );
  const stops = [
    realtime.on('changed', ({ what }) => {
      // Changes of users affect members' names and counts.
      refresh.call();
      if (what !== 'channels') marks.call();
    }),
    realtime.on('onUserStatusChanged', refresh.call),
    realtime.on('userConnected', refresh.call),
    refresh.close,
    marks.close,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
