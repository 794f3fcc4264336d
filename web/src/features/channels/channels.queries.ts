import { type Channel, getAllChannels, getUsersInChannel } from '@pressel/contract/channels';
import { type ChannelId, channelId as channelIdSchema } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { z } from '@pressel/contract/zod';
import { keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';
import type { Language } from '#src/shared/i18n/languages.ts';
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

export interface MembersPart {
  filter: string;
  /** Number of members to load, sorted by last name. */
  limit: number;
  /** Only members who are in the room now. */
  onlyConnected?: boolean;
}

/** Members of a channel with their live sockets, and their total number. */
export const channelMembersPage = (api: Api, channelId: ChannelId, part: MembersPart, language: Language) => {
  const { filter, limit, onlyConnected = false } = part;
  const body = {
    channelId,
    start: 0,
    limit,
    onlyConnected,
    presentFirst: true,
    ...(filter.trim() === '' ? {} : filterQuery(filter, language)),
  };
  return queryOptions({
    queryKey: [...CHANNELS_KEY, 'members', body],
    queryFn: async ({ signal }): Promise<ListPage<ChannelMember>> => {
      const { res, totalRecords } = await api.call(getUsersInChannel, body, { signal });
      return { rows: res, total: totalRecords };
    },
    placeholderData: keepPreviousData,
  });
};

const keyBody = z.object({ channelId: channelIdSchema, onlyConnected: z.boolean() });

/** Which members a query is for, by its key; null when it is for something else. */
export const membersPartOf = ([, , body]: QueryKey): z.infer<typeof keyBody> | null =>
  keyBody.safeParse(body).data ?? null;
