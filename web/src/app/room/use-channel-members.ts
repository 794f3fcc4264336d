import type { ChannelId } from '@pressel/contract/ids';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { channelMembersQuery, keepMembersFresh } from './room-members.queries.ts';

/** The channel's members, read and kept fresh only while this is used: a phone with its drawer closed asks for nothing. */
export function useChannelMembers(channelId: ChannelId | undefined) {
  const realtime = useRealtime();
  const queryClient = useQueryClient();
  const members = useQuery(channelMembersQuery(useApi(), channelId));

  useEffect(() => {
    if (channelId === undefined) return;
    return keepMembersFresh(queryClient, realtime, channelId);
  }, [queryClient, realtime, channelId]);
  return members;
}
