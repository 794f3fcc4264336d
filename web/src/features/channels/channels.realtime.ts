import type { Query, QueryClient } from '@tanstack/react-query';
import { CHANNELS_KEY, isMembersPage, USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { gather } from '#src/shared/realtime/gather.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';

/** Bursts of events read the lists at most this often, ms. */
const GATHER_MS = 500;

/** Keeps the channels in step with the server: memberships, names, who is connected. Returns the way to stop. */
export function bindChannels(realtime: Pick<Realtime, 'on'>, queries: Pick<QueryClient, 'invalidateQueries'>) {
  const refresh = gather(() => void queries.invalidateQueries({ queryKey: CHANNELS_KEY }), GATHER_MS);
  // Pages of users that tell who is in a channel; the other pages of users do not change by that.
  const marks = gather(
    () =>
      void queries.invalidateQueries({
        queryKey: USERS_KEY,
        predicate: ({ queryKey }: Query) => isMembersPage(queryKey),
      }),
    GATHER_MS,
  );
  const stops = [
    realtime.on('changed', ({ what }) => {
      // Names and numbers of members change with the users.
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
