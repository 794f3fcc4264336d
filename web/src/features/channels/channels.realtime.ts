import type { Channel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import type { StatusNews } from '@pressel/contract/presence';
import type { ChannelMember } from '@pressel/contract/users';
import type { Query, QueryClient } from '@tanstack/react-query';
import type { ListPage } from '#src/shared/lists/list-view.ts';
import { CHANNELS_KEY, isMembersPage, USERS_KEY } from '#src/shared/lists/lists.queries.ts';
import {
  createQueryPatcher,
  patchChannel,
  patchChannels,
  patchMembers,
  patchTalkers,
  type QueryPatcher,
} from '#src/shared/lists/patch-queries.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';
import { roomOfKey } from './channels.queries.ts';

/** Minimum interval between refreshes caused by events, ms. */
const THROTTLE_MS = 500;

/**
 * Patches channels when users connect or talk, and refreshes them on other events. Returns the unsubscribe function.
 */
export function bindChannels(realtime: Pick<Realtime, 'on'>, queries: QueryClient) {
  /** Deleted channels: the server no longer answers who is in them, though their page may stay for a moment. */
  const gone = new Set<ChannelId | undefined>();
  const isThere = ({ queryKey }: Query) => !gone.has(roomOfKey(queryKey));
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
  const patcher = createQueryPatcher(queries);
  const stops = [
    realtime.on('changed', ({ what, channelId, isGone }) => {
      if (what === 'guests') return;
      if (isGone && channelId !== undefined) gone.add(channelId);
      // Changes of users affect members' names and counts.
      refresh.call();
      if (what !== 'channels') marks.call();
    }),
    realtime.on('onUserStatusChanged', (news) => patchLists(patcher, news)),
    // `talkers_changed` comes from all other rooms, `floor_changed` from the user's own room [LIST20].
    realtime.on('talkers_changed', (news) => patchRows(patcher, (row) => patchTalkers(row, news, instantNow()))),
    realtime.on('floor_changed', (news) => patchRows(patcher, (row) => patchTalkers(row, news, instantNow()))),
    ...(['onSendMessage', 'messageResponse'] as const).map((event) =>
      realtime.on(event, ({ channelId }) => patchRows(patcher, (row) => happenedIn(row, channelId))),
    ),
    patcher.close,
    refresh.close,
    marks.close,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** A numeric filter finds channels by their number of connected users. */
const COUNTS = /^[\d/]+$/u;

const instantNow = (): string => new Date().toISOString();

const happenedIn = (row: Channel, channelId: ChannelId): Channel =>
  row.id === channelId ? { ...row, lastActivityAt: instantNow() } : row;

/** @param isBeyond whether the news may change which rows belong to a page */
function patchRows(
  patcher: QueryPatcher,
  patch: (row: Channel) => Channel,
  isBeyond?: (query: Query) => boolean,
): void {
  patcher.patch<ListPage<Channel>>([...CHANNELS_KEY, 'page'], (page) => patchChannels(page, patch), isBeyond);
  patcher.patch<Channel | null>([...CHANNELS_KEY, 'one'], (one) => one && patch(one));
}

function patchLists(patcher: QueryPatcher, news: StatusNews): void {
  patchRows(
    patcher,
    (row) => patchChannel(row, news, instantNow()),
    ({ queryKey: [, , body] }) => news.rooms.length > 0 && COUNTS.test(filterOf(body)),
  );
  patcher.patch<ListPage<ChannelMember>>(
    [...CHANNELS_KEY, 'inRoom'],
    (page, { queryKey }) => {
      const channelId = roomOfKey(queryKey);
      if (channelId === undefined) return page;
      const rows = patchMembers(page.rows, channelId, news);
      return rows === page.rows ? page : { ...page, rows: [...rows] };
    },
    ({ queryKey }) => news.rooms.some(({ channelId }) => channelId === roomOfKey(queryKey)),
  );
}

const filterOf = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'filter' in body ? String(body.filter).trim() : '';
