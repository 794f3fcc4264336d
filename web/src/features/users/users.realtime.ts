import type { User } from '@pressel/contract/users';
import type { QueryClient } from '@tanstack/react-query';
import { dependsOnStatus, USERS_KEY, type UsersPage } from '#src/shared/lists/lists.queries.ts';
import { createQueryPatcher, patchUser, patchUsers } from '#src/shared/lists/patch-queries.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';

/** Bursts of events read the pages shown at most this often, ms. */
const THROTTLE_MS = 400;

/** Patches users by presence news, refreshes them on other events. Returns the unsubscribe function. */
export function bindUsers(realtime: Pick<Realtime, 'on'>, queries: QueryClient) {
  const refresh = throttle(() => void queries.invalidateQueries({ queryKey: USERS_KEY }), THROTTLE_MS);
  const patcher = createQueryPatcher(queries);
  const stops = [
    realtime.on('changed', ({ what }) => {
      if (what === 'users' || what === 'memberships') refresh.call();
    }),
    realtime.on('onUserStatusChanged', (news) => {
      patcher.patch<UsersPage>(
        [...USERS_KEY, 'page'],
        (page) => patchUsers(page, news),
        ({ queryKey }) => news.channelId === null && dependsOnStatus(queryKey),
      );
      patcher.patch<User>([...USERS_KEY, 'one'], (user) => patchUser(user, news));
      const known = new Set<unknown>(news.users.map(({ userId }) => userId));
      // The news don't say which of their sessions it was.
      patcher.patch([...USERS_KEY, 'sessions'], same, ({ queryKey }) => known.has(queryKey.at(-1)));
    }),
    refresh.close,
    patcher.close,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

const same = (data: unknown): unknown => data;
