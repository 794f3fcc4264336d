import type { Dashboard } from '@pressel/contract/dashboard';
import type { ServerPayload } from '@pressel/contract/realtime';
import type { QueryClient } from '@tanstack/react-query';
import { FRESH_MS } from '#src/boot/first-answers.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';

export const DASHBOARD_KEY = ['dashboard'] as const;
/** News of thousands who come and go read the figures at most this often, ms. */
const THROTTLE_MS = 2_000;

/**
 * Reads figures that are shown again when something happened; `now` in ms since the page began. The figures are asked for
 * ahead of the app, so that the news of who just came in may be there before whoever shows them.
 */
export function bindDashboard(
  realtime: Pick<Realtime, 'on'>,
  queries: QueryClient,
  now: () => number = () => performance.now(),
): () => void {
  const cache = queries.getQueryCache();
  let isFirstOutdated = false;
  const refresh = throttle(() => void queries.invalidateQueries({ queryKey: DASHBOARD_KEY }), THROTTLE_MS);
  const learn = () => {
    if (cache.find({ queryKey: DASHBOARD_KEY, exact: false }) !== undefined) refresh.call();
    else if (now() < FRESH_MS) isFirstOutdated = true;
  };
  const stops = [
    realtime.on('changed', learn),
    realtime.on('onUserStatusChanged', learn),
    realtime.on('activities_added', learn),
    realtime.on('activities_deleted', learn),
    // At once: who talks is over by the time that figures are read again.
    realtime.on('talkers_changed', (news) => {
      queries.setQueriesData<Dashboard>({ queryKey: DASHBOARD_KEY }, (known) => known && withTalkers(known, news));
    }),
    cache.subscribe((event) => {
      if (!isFirstOutdated || event.type !== 'updated' || event.action.type !== 'success') return;
      if (event.query.queryKey[0] !== DASHBOARD_KEY[0]) return;
      isFirstOutdated = false;
      refresh.call();
    }),
    refresh.close,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

type TalkersNews = ServerPayload<'talkers_changed'>;

function withTalkers<D extends Dashboard>(known: D, { channelId, talkers }: TalkersNews): D {
  const rooms = known.live.rooms.map((room) =>
    room.id === channelId ? { ...room, talkers: talkers.map((talker) => ({ ...talker, talkingMs: 0 })) } : room,
  );
  return { ...known, live: { ...known.live, rooms } };
}
