import { type GuestLink, getGuestLinks, getInvitation, type Invitation } from '@pressel/contract/guests';
import type { ChannelId } from '@pressel/contract/ids';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';

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
