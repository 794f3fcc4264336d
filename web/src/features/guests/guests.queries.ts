import { type GuestLink, getGuestLinks, getInvitation, type Invitation } from '@pressel/contract/guests';
import type { ChannelId } from '@pressel/contract/ids';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';

/** Minimum interval between reads of the list, ms. */
const THROTTLE_MS = 400;

/** Reads a channel's links again when they or their guests change. Returns the unsubscribe function. */
export function bindGuestLinks(realtime: Pick<Realtime, 'on'>, queries: QueryClient, channelId: ChannelId) {
  const refresh = throttle(() => void queries.invalidateQueries({ queryKey: guestLinksKey(channelId) }), THROTTLE_MS);
  const stop = realtime.on('changed', (news) => {
    if (news.what === 'guests' && news.channelId === channelId) refresh.call();
  });
  return () => {
    stop();
    refresh.close();
  };
}

/** Interval at which the times in a list of links are refreshed, ms. */
const REFRESH_MS = 30_000;

export const guestLinksKey = (channelId: ChannelId) => ['guestLinks', channelId] as const;

/** The guest links of a channel. */
export const guestLinksQuery = (api: Api, channelId: ChannelId) =>
  queryOptions({
    queryKey: guestLinksKey(channelId),
    queryFn: async ({ signal }): Promise<GuestLink[]> => (await api.call(getGuestLinks, { channelId }, { signal })).res,
    refetchInterval: REFRESH_MS,
  });

/** The room that a guest link opens. Each value of `look` asks again. */
export const invitationQuery = (api: Api, token: string, look: number) =>
  queryOptions({
    // The token is left out: development tools show keys, and a page has only one link.
    queryKey: ['invitation', look],
    queryFn: async ({ signal }): Promise<Invitation> => (await api.call(getInvitation, { token }, { signal })).res,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
