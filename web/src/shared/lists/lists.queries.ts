import { useDebouncedValue } from '@mantine/hooks';
import { type CHANNEL_COLUMNS, type Channel, getAllChannels } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { getAllUsers, type USER_COLUMNS, type User } from '@pressel/contract/users';
import { keepPreviousData, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Api } from '../api/api.ts';
import type { Language } from '../i18n/languages.ts';
import { useLanguage } from '../i18n/use-language.ts';
import { useApi } from '../services.tsx';
import { type ListPage, type ListView, pageQuery } from './list-view.ts';

export type UserColumn = (typeof USER_COLUMNS)[number];
export type ChannelColumn = (typeof CHANNEL_COLUMNS)[number];

/** Debounce of the filter while typing, ms. */
const TYPING_PAUSE_MS = 150;

/** First element of all query keys of users, for invalidation; likewise for channels. */
export const USERS_KEY = ['users'] as const;
export const CHANNELS_KEY = ['channels'] as const;

/** `connected`: how many distinct users are in a room now. */
export interface UsersPage extends ListPage<User> {
  connected: number;
}

/** Adds `isMember` for this channel to each user; `only`: lists only its members. */
export interface MembersOf {
  channelId: ChannelId;
  only: boolean;
}

const usersPage = (api: Api, view: ListView<UserColumn>, language: Language, members?: MembersOf) => {
  const body = {
    ...pageQuery(view, language),
    ...(members && { memberOf: members.channelId, onlyMembers: members.only }),
  };
  return queryOptions({
    queryKey: [...USERS_KEY, 'page', body],
    queryFn: async ({ signal }): Promise<UsersPage> => {
      const { res, totalRecords, connected } = await api.call(getAllUsers, body, { signal });
      return { rows: res, total: totalRecords, connected };
    },
    placeholderData: keepPreviousData,
  });
};

/** Whether a query key is that of a page of users with `isMember`. */
export const isMembersPage = ([first, kind, body]: readonly unknown[]): boolean =>
  first === USERS_KEY[0] && kind === 'page' && typeof body === 'object' && body !== null && 'memberOf' in body;

const channelsPage = (api: Api, view: ListView<ChannelColumn>, language: Language) => {
  const body = pageQuery(view, language);
  return queryOptions({
    queryKey: [...CHANNELS_KEY, 'page', body],
    queryFn: async ({ signal }): Promise<ListPage<Channel>> => {
      const { res, totalRecords } = await api.call(getAllChannels, body, { signal });
      return { rows: res, total: totalRecords };
    },
    placeholderData: keepPreviousData,
  });
};

/** A page of users; the previous page is kept while the next one loads. Administrators only. */
export function useUsersPage(view: ListView<UserColumn>, members?: MembersOf): UseQueryResult<UsersPage> {
  const { current } = useLanguage();
  return useQuery(usersPage(useApi(), useSettled(view), current, members));
}

/** A page of the channels that the signed-in user may see. */
export function useChannelsPage(view: ListView<ChannelColumn>): UseQueryResult<ListPage<Channel>> {
  const { current } = useLanguage();
  return useQuery(channelsPage(useApi(), useSettled(view), current));
}

function useSettled<Column extends string>(view: ListView<Column>): ListView<Column> {
  const [filter] = useDebouncedValue(view.filter, TYPING_PAUSE_MS);
  return { ...view, filter };
}
