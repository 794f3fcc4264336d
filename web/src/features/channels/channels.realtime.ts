import type { Channel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import type { StatusNews } from '@pressel/contract/presence';
import type { ChannelMember } from '@pressel/contract/users';
import type { Query, QueryClient } from '@tanstack/react-query';
import { isInRoom } from '#src/shared/lists/is-in-room.ts';
import type { ListPage } from '#src/shared/lists/list-view.ts';
import { CHANNELS_KEY, isMembersPage, USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import { createQueryPatcher, type QueryPatcher } from '#src/shared/lists/patch-queries.ts';
import { patchChannel, patchChannels, patchMembers } from '#src/shared/lists/status-patches.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';
import { membersPartOf } from './channels.queries.ts';

/** Minimum interval between refreshes caused by events, ms. */
const THROTTLE_MS = 500;
/** The same for parts of long lists of members: everybody in a crowded channel reads theirs at each entrance. */
const LONG_THROTTLE_MS = 5_000;

/** Patches channels with who is connected, refreshes them on other events. Returns the unsubscribe function. */
export function bindChannels(realtime: Pick<Realtime, 'on'>, queries: QueryClient) {
  /** Deleted: who is in them can't be asked for any more, though their page may still be there for a moment. */
  const gone = new Set<ChannelId | undefined>();
  const isThere = ({ queryKey }: Query) => !gone.has(membersPartOf(queryKey)?.channelId);
  const refresh = throttle(
    () => void queries.invalidateQueries({ queryKey: CHANNELS_KEY, predicate: isThere }),
    THROTTLE_MS,
  );
  // Only pages of users with `isMember` depend on memberships.
  const marks = throttle(
    () =>
      void queries.invalidateQueries({
        queryKey: USERS_KEY,
        predicate: ({ queryKey }: Query) => isMembersPage(queryKey),
      }),
    THROTTLE_MS,
  );
  const long = throttle(
    () =>
      void queries.invalidateQueries({
        queryKey: MEMBERS_KEY,
        predicate: (query) => isThere(query) && isPart(query.state.data as ListPage<ChannelMember> | undefined),
      }),
    LONG_THROTTLE_MS,
  );
  const patcher = createQueryPatcher(queries);
  const stops = [
    realtime.on('changed', ({ what, channelId, isGone }) => {
      if (what === 'guests') return;
      if (isGone && channelId !== undefined) gone.add(channelId);
      // Changes of users affect members' names and counts.
      refresh.call();
      if (what !== 'channels') marks.call();
    }),
    realtime.on('onUserStatusChanged', (news) => patchLists(patcher, news, long.call)),
    patcher.close,
    refresh.close,
    marks.close,
    long.close,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

const MEMBERS_KEY = [...CHANNELS_KEY, 'members'] as const;

const isPart = (page: ListPage<unknown> | undefined): boolean => page !== undefined && page.rows.length < page.total;

/** A filter for numbers finds channels by how many are connected. */
const COUNTS = /^[\d/]+$/u;

/** @param onMissed somebody is in a room now whom a part of its members should show and doesn't */
function patchLists(patcher: QueryPatcher, news: StatusNews, onMissed: () => void): void {
  patcher.patch<ListPage<Channel>>(
    [...CHANNELS_KEY, 'page'],
    (page) => patchChannels(page, news),
    ({ queryKey: [, , body] }) => news.rooms.length > 0 && COUNTS.test(filterOf(body)),
  );
  patcher.patch<Channel | null>([...CHANNELS_KEY, 'one'], (one) => one && patchChannel(one, news));
  patcher.patch<ListPage<ChannelMember>>(
    MEMBERS_KEY,
    (page, { queryKey }) => {
      const part = membersPartOf(queryKey);
      if (part === null) return page;
      const rows = patchMembers(page.rows, part.channelId, news);
      if (isPart(page) && isMissed(page.rows, rows, part.channelId, news)) onMissed();
      return rows === page.rows ? page : { ...page, rows: [...rows] };
    },
    ({ queryKey }) => {
      const part = membersPartOf(queryKey);
      return part?.onlyConnected === true && news.rooms.some(({ channelId }) => channelId === part.channelId);
    },
  );
}

/** Whether the part of a channel's members that begins with those who are in its room may leave out one of them by now. */
function isMissed(
  before: readonly ChannelMember[],
  after: readonly ChannelMember[],
  channelId: ChannelId,
  news: StatusNews,
): boolean {
  const isIn = (one: Pick<ChannelMember, 'user_sockets'>) => isInRoom(one, channelId);
  // Where all of the part were there, more of them may have had no place in it.
  if (before.every(isIn) && !after.every(isIn)) return true;
  const shown = new Set(after.map(({ id }) => id));
  return news.users.some((one) => !shown.has(one.userId) && isIn(one));
}

const filterOf = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'filter' in body ? String(body.filter).trim() : '';
