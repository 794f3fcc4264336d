import { type Dashboard, getDashboard } from '@pressel/contract/dashboard';
import type { ServerPayload } from '@pressel/contract/realtime';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ownTimeZone } from '#src/shared/format/format.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';
import { useApi, useRealtime } from '#src/shared/services.tsx';

const KEY = ['dashboard'] as const;
/** Without news: today's figures begin anew at midnight. */
const REFRESH_MS = 60_000;
/** News of thousands who come and go read the figures at most this often, ms. */
const THROTTLE_MS = 2_000;

/** All figures in one answer, read again when something happened. */
export function useDashboard(): UseQueryResult<Dashboard> {
  const api = useApi();
  const timeZone = ownTimeZone();
  useNews();
  return useQuery({
    queryKey: [...KEY, timeZone],
    queryFn: async ({ signal }) => (await api.call(getDashboard, { timeZone }, { signal })).res,
    refetchInterval: REFRESH_MS,
  });
}

function useNews(): void {
  const realtime = useRealtime();
  const queries = useQueryClient();
  useEffect(() => {
    const refresh = throttle(() => void queries.invalidateQueries({ queryKey: KEY }), THROTTLE_MS);
    const stops = [
      realtime.on('changed', refresh.call),
      realtime.on('onUserStatusChanged', refresh.call),
      realtime.on('activities_added', refresh.call),
      realtime.on('activities_deleted', refresh.call),
      // At once: who talks is over by the time that figures are read again.
      realtime.on('talkers_changed', (news) => {
        queries.setQueriesData<Dashboard>({ queryKey: KEY }, (known) => known && withTalkers(known, news));
      }),
      refresh.close,
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [realtime, queries]);
}

type TalkersNews = ServerPayload<'talkers_changed'>;

function withTalkers<D extends Dashboard>(known: D, { channelId, talkers }: TalkersNews): D {
  const rooms = known.live.rooms.map((room) =>
    room.id === channelId ? { ...room, talkers: talkers.map((talker) => ({ ...talker, talkingMs: 0 })) } : room,
  );
  return { ...known, live: { ...known.live, rooms } };
}
