import type { Dashboard } from '@pressel/contract/dashboard';
import type { ServerPayload } from '@pressel/contract/realtime';
import type { QueryClient } from '@tanstack/react-query';
import { FRESH_MS } from '#src/shared/api/first-answers.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle, throttleSeen } from '#src/shared/realtime/throttle.ts';

export const DASHBOARD_KEY = ['dashboard'] as const;
/** Minimum interval between reads of the figures because of presence: thousands may come and go, ms. */
const THROTTLE_MS = 2_000;
/** The same for news that all members of a channel hear at once: its messages and talks. */
const OWN_THROTTLE_MS = 5_000;
/** The longest time from the end of a talk until it is in the log, ms. */
const LOGGED_MS = 1_000;

/**
 * Reads the shown figures again when something happened; `now` in ms since the page began. The figures are requested
 * before the app starts, so the news of who just came in may be there before the page that shows them.
 */
export function bindDashboard(
  realtime: Pick<Realtime, 'on'>,
  queries: QueryClient,
  now: () => number = () => performance.now(),
): () => void {
  const cache = queries.getQueryCache();
  let isFirstOutdated = false;
  const read = () => void queries.invalidateQueries({ queryKey: DASHBOARD_KEY });
  const refresh = throttleSeen(read, THROTTLE_MS);
  const refreshOwn = throttleSeen(read, OWN_THROTTLE_MS);
  // Administrators learn of messages and talks by the log, members by the events of their own channels.
  const learnOwn = () => {
    const [, known] = queries.getQueriesData<Dashboard>({ queryKey: DASHBOARD_KEY })[0] ?? [];
    if (known?.role === 'member') refreshOwn.call();
  };
  let logged: ReturnType<typeof setTimeout> | undefined;
  const talkEnded = throttle(() => {
    logged = setTimeout(learnOwn, LOGGED_MS);
  }, LOGGED_MS);
  const learn = () => {
    if (cache.find({ queryKey: DASHBOARD_KEY, exact: false }) !== undefined) refresh.call();
    else if (now() < FRESH_MS) isFirstOutdated = true;
  };
  const stops = [
    realtime.on('changed', learn),
    realtime.on('onUserStatusChanged', learn),
    realtime.on('activities_added', learn),
    realtime.on('activities_deleted', learn),
    ...OWN_NEWS.map((event) => realtime.on(event, learnOwn)),
    // Patched at once: by the time the figures are read again, a talk is over.
    realtime.on('talkers_changed', (news) => {
      queries.setQueriesData<Dashboard>({ queryKey: DASHBOARD_KEY }, (known) => known && withTalkers(known, news));
      if (news.talkers.length === 0) talkEnded.call();
    }),
    cache.subscribe((event) => {
      if (!isFirstOutdated || event.type !== 'updated' || event.action.type !== 'success') return;
      if (event.query.queryKey[0] !== DASHBOARD_KEY[0]) return;
      isFirstOutdated = false;
      refresh.call();
    }),
    refresh.close,
    refreshOwn.close,
    talkEnded.close,
    () => clearTimeout(logged),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** The events that change the unread messages of a member's channels. */
const OWN_NEWS = ['onSendMessage', 'messageResponse', 'room message changed', 'messages_read'] as const;

type TalkersNews = ServerPayload<'talkers_changed'>;

function withTalkers<D extends Dashboard>(known: D, { channelId, talkers }: TalkersNews): D {
  const rooms = known.live.rooms.map((room) =>
    room.id === channelId ? { ...room, talkers: talkers.map((talker) => ({ ...talker, talkingMs: 0 })) } : room,
  );
  return { ...known, live: { ...known.live, rooms } };
}
