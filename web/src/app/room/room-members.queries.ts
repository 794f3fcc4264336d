import { getUsersInChannel } from '@pressel/contract/channels';
import type { ChannelId } from '@pressel/contract/ids';
import type { ChannelMember } from '@pressel/contract/users';
import { type QueryClient, queryOptions, skipToken } from '@tanstack/react-query';
import type { Api } from '#src/shared/api/api.ts';
import { createQueryPatcher } from '#src/shared/lists/patch-queries.ts';
import { patchMembers } from '#src/shared/lists/status-patches.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { throttle } from '#src/shared/realtime/throttle.ts';

const keyOf = (channelId: ChannelId | undefined) => ['channelMembers', channelId] as const;

/** Minimum interval between reads of the list, ms. */
const REFRESH_MS = 1_000;

/** The members of a channel with their live sockets; disabled until the channel is known. */
export const channelMembersQuery = (api: Api, channelId: ChannelId | undefined) =>
  queryOptions({
    queryKey: keyOf(channelId),
    queryFn:
      channelId === undefined
        ? skipToken
        : async ({ signal }) => (await api.call(getUsersInChannel, { channelId }, { signal })).res,
  });

/** Patches the list with who is connected, refreshes it on other events. Returns the unsubscribe function. */
export function keepMembersFresh(
  queryClient: QueryClient,
  realtime: Pick<Realtime, 'on'>,
  channelId: ChannelId,
): () => void {
  const refresh = throttle(() => void queryClient.invalidateQueries({ queryKey: keyOf(channelId) }), REFRESH_MS);
  const patcher = createQueryPatcher(queryClient);
  const stops = [
    realtime.on('onUserStatusChanged', (news) => {
      patcher.patch<readonly ChannelMember[]>(keyOf(channelId), (members) => patchMembers(members, channelId, news));
    }),
    realtime.on('changed', (news) => {
      if (news.what === 'guests' || news.isGone) return;
      if (news.channelId === undefined || news.channelId === channelId) refresh.call();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    patcher.close();
    refresh.close();
  };
}
