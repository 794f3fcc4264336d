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

/** What is typed is looked for once the typing pauses this long, ms. */
const TYPING_PAUSE_MS = 150;

/** Both lists under one first word of their keys each: whatever changes users or channels invalidates by it. */
export const USERS_KEY = ['users'] as const;
export const CHANNELS_KEY = ['channels'] as const;

/** `connected`: how many different users are in a room now, of all. */
export interface UsersPage extends ListPage<User> {
  connected: number;
}

/** Marks each user as a member of a channel or not; `only`: leaves the others out. */
export interface MembersOf {
  channelId: ChannelId;
  only: boolean;
}

export const usersPage = (api: Api, view: ListView<UserColumn>, language: Language, members?: MembersOf) => {
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

/** Whether a query's key is that of a page of users that marks the members of a channel. */
export const isMembersPage = ([first, kind, body]: readonly unknown[]): boolean =>
  first === USERS_KEY[0] && kind === 'page' && typeof body === 'object' && body !== null && 'memberOf' in body;

export const channelsPage = (api: Api, view: ListView<ChannelColumn>, language: Language) => {
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

/** A page of users, kept on screen until the next one is there. For administrators. */
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
