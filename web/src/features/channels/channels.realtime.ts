import type { QueryClient } from '@tanstack/react-query';
import { gather } from '#src/shared/realtime/gather.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';

/** Bursts of events read the list at most this often, ms. */
const GATHER_MS = 500;

/** Keeps the channels in step with the server: memberships, names, who is connected. Returns the way to stop. */
export function bindChannels(realtime: Pick<Realtime, 'on'>, queries: Pick<QueryClient, 'invalidateQueries'>) {
  const refresh = gather(() => void queries.invalidateQueries({ queryKey: ['channels'] }), GATHER_MS);
  const stops = [
    realtime.on('changed', ({ what }) => {
      if (what !== 'users') refresh.call();
    }),
    realtime.on('onUserStatusChanged', refresh.call),
    realtime.on('userConnected', refresh.call),
    refresh.close,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
