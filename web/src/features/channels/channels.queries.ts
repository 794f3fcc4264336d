import { type Channel, getAllChannels, getChannelIds, getUsersInChannel } from '@pressel/contract/channels';
import { type ChannelId, channelId as channelIdSchema } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { z } from '@pressel/contract/zod';
import { keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';
import type { Language } from '#src/shared/languages.ts';
import { filterQuery, type ListPage } from '#src/shared/lists/list-view.ts';
import { CHANNELS_KEY } from '#src/shared/lists/lists.queries.ts';

/** One channel; null if it doesn't exist or the user may not see it. */
export const channelQuery = (api: Api, id: ChannelId) =>
  queryOptions({
    queryKey: [...CHANNELS_KEY, 'one', id],
    queryFn: async ({ signal }): Promise<Channel | null> => {
      const { res } = await api.call(getAllChannels, { ids: [id], start: 0, limit: 1 }, { signal });
      return res.find((channel) => channel.id === id) ?? null;
    },
  });

/** Returns the ids of all channels that a filter finds; an empty filter finds all channels. */
export const foundChannels = async (api: Api, filter: string, language: Language): Promise<readonly string[]> =>
  (await api.call(getChannelIds, filter.trim() === '' ? {} : filterQuery(filter, language))).res;

/** The first participants in a channel's room now, with their live sockets, and the total. */
export const peopleInRoom = (api: Api, channelId: ChannelId, limit: number) => {
  const body = { channelId, start: 0, limit, onlyConnected: true };
  return queryOptions({
    queryKey: [...CHANNELS_KEY, 'inRoom', body],
    queryFn: async ({ signal }): Promise<ListPage<ChannelMember>> => {
      const { res, totalRecords } = await api.call(getUsersInChannel, body, { signal });
      return { rows: res, total: totalRecords };
    },
    placeholderData: keepPreviousData,
  });
};

const keyBody = z.object({ channelId: channelIdSchema });

/** Returns the channel of a `peopleInRoom` query by its key; undefined for other queries. */
export const roomOfKey = ([, kind, body]: QueryKey): ChannelId | undefined =>
  kind === 'inRoom' ? keyBody.safeParse(body).data?.channelId : undefined;
