import { type GuestLink, getGuestLinks, getInvitation, type Invitation } from '@pressel/contract/guests';
import type { ChannelId } from '@pressel/contract/ids';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';

/** How often the times in a list of links are brought up to date, ms. */
const REFRESH_MS = 30_000;

export const guestLinksKey = (channelId: ChannelId) => ['guestLinks', channelId] as const;

/** A channel's links, as they are when they are looked at. */
export const guestLinksQuery = (api: Api, channelId: ChannelId) =>
  queryOptions({
    queryKey: guestLinksKey(channelId),
    queryFn: async ({ signal }): Promise<GuestLink[]> => (await api.call(getGuestLinks, { channelId }, { signal })).res,
    refetchInterval: REFRESH_MS,
  });

/** What a link opens. Each number of `look` asks anew. */
export const invitationQuery = (api: Api, token: string, look: number) =>
  queryOptions({
    // Without the token: keys are shown by development tools, and a page has one link.
    queryKey: ['invitation', look],
    queryFn: async ({ signal }): Promise<Invitation> => (await api.call(getInvitation, { token }, { signal })).res,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
