import type { CallInput } from '@pressel/contract/call';
import { getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId, UserId } from '@pressel/contract/ids';
import { LIST_MAX_LIMIT } from '@pressel/contract/limits';
import type { ChannelMember } from '@pressel/contract/users';
import { type QueryKey, queryOptions, skipToken } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';
import type { MembersPart, MembersView } from './members-part.ts';

/** Members read at a time: more than any screen shows of them at once. */
export const PART_SIZE = 100;

/** All of a channel's members, in their order. */
export const ALL_MEMBERS: MembersView = { filter: '', isDescending: false };

export const membersKey = (channelId: ChannelId | undefined) => ['channelMembers', channelId] as const;
export const listKey = (channelId: ChannelId | undefined, { filter, isDescending }: MembersView) =>
  [...membersKey(channelId), 'list', { filter: filter.trim(), isDescending }] as const;
export const listsKey = (channelId: ChannelId) => [...membersKey(channelId), 'list'] as const;
export const personKey = (channelId: ChannelId, id?: UserId) =>
  id === undefined ? [...membersKey(channelId), 'one'] : [...membersKey(channelId), 'one', id];

/** Returns the view of a list's query: `listKey` made its key. */
export const viewOf = (queryKey: QueryKey): MembersView => queryKey[3] as MembersView;

/** Reads some rows of a list, whose length comes with them. */
export async function readMembers(
  api: Api,
  channelId: ChannelId,
  { filter, isDescending }: MembersView,
  rows: Pick<CallInput<typeof getUsersInChannel>, 'start' | 'limit' | 'userIds'>,
  signal?: AbortSignal,
): Promise<{ rows: readonly ChannelMember[]; total: number }> {
  const { res, totalRecords } = await api.call(
    getUsersInChannel,
    {
      ...{ channelId, presentFirst: true, order: isDescending ? 'desc' : 'asc', ...rows },
      ...(filter.trim() !== '' && { filter: filter.trim() }),
    },
    signal === undefined ? {} : { signal },
  );
  return { rows: res, total: totalRecords };
}

/**
 * Reads the beginning of a list of members, or of what a filter finds of them. Read again it is as long as it was, so
 * far as one call goes.
 */
export const membersQuery = (api: Api, channelId: ChannelId | undefined, view: MembersView) =>
  queryOptions({
    queryKey: listKey(channelId, view),
    queryFn:
      channelId === undefined
        ? skipToken
        : async ({ signal, client, queryKey }): Promise<MembersPart> => {
            const known = client.getQueryData<MembersPart>(queryKey);
            const wanted = Math.max(known?.rows.length ?? 0, PART_SIZE);
            const limit = Math.min(wanted, LIST_MAX_LIMIT);
            const read = await readMembers(api, channelId, view, { start: 0, limit }, signal);
            // Rows left out now must not stay as they were under the pointer. They are read where the user looks.
            const isShorter = wanted > limit;
            return { ...read, view, parts: (known?.parts ?? 0) + Number(isShorter) };
          },
  });

/** One member; null for a user who isn't one. */
export const memberQuery = (api: Api, channelId: ChannelId, id: UserId) =>
  queryOptions({
    queryKey: personKey(channelId, id),
    queryFn: async ({ signal }): Promise<ChannelMember | null> =>
      (await readMembers(api, channelId, ALL_MEMBERS, { userIds: [id] }, signal)).rows[0] ?? null,
  });
