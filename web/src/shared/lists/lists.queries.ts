import { useDebouncedValue } from '@mantine/hooks';
import type { CallInput } from '@pressel/contract/call';
import { type CHANNEL_COLUMNS, type Channel, getAllChannels } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import { LIST_FIRST_MAX } from '@pressel/contract/limits';
import { getAllUsers, type USER_COLUMNS, type User } from '@pressel/contract/users';
import { keepPreviousData, queryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useLanguage } from '#src/shared/i18n/use-translation.tsx';
import type { Language } from '#src/shared/languages.ts';
import type { Api } from '../api/api.ts';
import { useApi } from '../services.tsx';
import { type AskedPage, type ListView, pageQuery } from './list-view.ts';

export type UserColumn = (typeof USER_COLUMNS)[number];
export type ChannelColumn = (typeof CHANNEL_COLUMNS)[number];

/** Debounce of the filter while typing, ms. */
const TYPING_PAUSE_MS = 150;

/** First element of all query keys of users, for invalidation; likewise for channels. */
export const USERS_KEY = ['users'] as const;
export const CHANNELS_KEY = ['channels'] as const;

/** `connected`: how many distinct users are in a room now. */
export interface UsersPage extends AskedPage<User> {
  connected: number;
}

/** Adds `isMember` for this channel to each user; `only`: lists only its members. */
export interface MembersOf {
  channelId: ChannelId;
  only: boolean;
  /** Lists its members before the others. */
  isFirst?: boolean;
}

/** The states and activities whose words contain a filter, by the reader's texts. */
export type RowWords = Pick<CallInput<typeof getAllUsers>, 'activityTypes' | 'states'>;

export interface UsersPageOptions {
  members?: MembersOf | undefined;
  /** For rows that show states and last activities: the filter finds those too. */
  wordsOf?: (filter: string) => RowWords;
  /** Reads nothing. */
  isOff?: boolean;
  /** Reads nothing without a filter. */
  needsFilter?: boolean;
}

const usersPage = (api: Api, view: ListView<UserColumn>, language: Language, options: UsersPageOptions) => {
  const { members, wordsOf } = options;
  const body = {
    ...pageQuery(view, language),
    ...(view.filter.trim() !== '' && wordsOf?.(view.filter)),
    ...(members && { memberOf: members.channelId, onlyMembers: members.only, membersFirst: members.isFirst ?? false }),
  };
  return queryOptions({
    queryKey: [...USERS_KEY, 'page', body],
    queryFn: async ({ signal }): Promise<UsersPage> => {
      const { res, totalRecords, connected } = await api.call(getAllUsers, body, { signal });
      return { rows: res, total: totalRecords, connected, asked: JSON.stringify(body), filter: view.filter.trim() };
    },
    placeholderData: keepPreviousData,
  });
};

/** Whether a query key is that of a page of users with `isMember`. */
export const isMembersPage = ([first, kind, body]: readonly unknown[]): boolean =>
  first === USERS_KEY[0] && kind === 'page' && typeof body === 'object' && body !== null && 'memberOf' in body;

/** Whether presence news may change which rows a page of users has, by its key. */
export const dependsOnStatus = ([first, kind, body]: readonly unknown[]): boolean => {
  const asked = first === USERS_KEY[0] && kind === 'page' ? (body as CallInput<typeof getAllUsers>) : {};
  const byActivity = asked.sort === 'lastActivity' || (asked.activityTypes?.length ?? 0) > 0;
  return byActivity || asked.sort === 'state' || (asked.states?.length ?? 0) > 0;
};

const channelsPage = (api: Api, view: ListView<ChannelColumn>, language: Language, first: readonly ChannelId[]) => {
  const body = {
    ...pageQuery(view, language),
    ...(first.length > 0 && { first: first.slice(0, LIST_FIRST_MAX) }),
  };
  return queryOptions({
    queryKey: [...CHANNELS_KEY, 'page', body],
    queryFn: async ({ signal }): Promise<AskedPage<Channel>> => {
      const { res, totalRecords } = await api.call(getAllChannels, body, { signal });
      return { rows: res, total: totalRecords, asked: JSON.stringify(body), filter: view.filter.trim() };
    },
    placeholderData: keepPreviousData,
  });
};

/** A page of users; the previous page is kept while the next one loads. Administrators only. */
export function useUsersPage(view: ListView<UserColumn>, options: UsersPageOptions = {}): UseQueryResult<UsersPage> {
  const { current } = useLanguage();
  const settled = useSettled(view);
  const isAsked = options.isOff !== true && (options.needsFilter !== true || settled.filter.trim() !== '');
  return useQuery({ ...usersPage(useApi(), settled, current, options), enabled: isAsked });
}

/** A page of the channels that the signed-in user may see. `first`: the channels that come before the others. */
export function useChannelsPage(
  view: ListView<ChannelColumn>,
  first: readonly ChannelId[] = [],
): UseQueryResult<AskedPage<Channel>> {
  const { current } = useLanguage();
  return useQuery(channelsPage(useApi(), useSettled(view), current, first));
}

function useSettled<Column extends string>(view: ListView<Column>): ListView<Column> {
  const [filter] = useDebouncedValue(view.filter, TYPING_PAUSE_MS);
  return { ...view, filter };
}
