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

/** What keeps a channel's list fresh, by client: one binding, however many parts of the screen show the list. */
const kept = new WeakMap<QueryClient, Map<ChannelId, { parts: number; stop: () => void }>>();

/**
 * Patches the list with who is connected, refreshes it on other events, from the call on until what it returns is called. News
 * that come while nobody keeps it are lost to it: whoever shows it next reads it again.
 */
export function keepMembersFresh(
  queryClient: QueryClient,
  realtime: Pick<Realtime, 'on'>,
  channelId: ChannelId,
): () => void {
  const bound = kept.get(queryClient) ?? new Map<ChannelId, { parts: number; stop: () => void }>();
  kept.set(queryClient, bound);
  const one = bound.get(channelId) ?? { parts: 0, stop: followMembers(queryClient, realtime, channelId) };
  bound.set(channelId, one);
  one.parts += 1;
  return () => {
    one.parts -= 1;
    if (one.parts > 0) return;
    bound.delete(channelId);
    one.stop();
    void queryClient.invalidateQueries({ queryKey: keyOf(channelId), refetchType: 'none' });
  };
}

function followMembers(queryClient: QueryClient, realtime: Pick<Realtime, 'on'>, channelId: ChannelId): () => void {
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
