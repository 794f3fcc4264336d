import type { QueryClient } from '@tanstack/react-query';
import { USERS_KEY, type UsersPage } from '#src/shared/lists/lists.queries.ts';
import { createQueryPatcher } from '#src/shared/lists/patch-queries.ts';
import { patchUsers } from '#src/shared/lists/status-patches.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';

/** Bursts of events read the pages shown at most this often, ms. */
const THROTTLE_MS = 400;

/** Patches users with who is connected, refreshes them on other events. Returns the unsubscribe function. */
export function bindUsers(realtime: Pick<Realtime, 'on'>, queries: QueryClient) {
  const refresh = throttle(() => void queries.invalidateQueries({ queryKey: USERS_KEY }), THROTTLE_MS);
  const patcher = createQueryPatcher(queries);
  const stops = [
    realtime.on('changed', ({ what }) => {
      if (what === 'users' || what === 'memberships') refresh.call();
    }),
    realtime.on('onUserStatusChanged', (news) => {
      patcher.patch<UsersPage>([...USERS_KEY, 'page'], (page) => patchUsers(page, news));
    }),
    refresh.close,
    patcher.close,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}
