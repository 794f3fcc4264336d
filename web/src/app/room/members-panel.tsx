import type { ChannelId } from '@pressel/contract/ids';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { channelMembersQuery, keepMembersFresh } from './room-members.queries.ts';
import { RoomMembers, type RoomMembersProps } from './room-members.tsx';

export interface MembersPanelProps extends Omit<RoomMembersProps, 'members' | 'hasFailed' | 'onRetry'> {
  /** Undefined until the room was entered. */
  channelId: ChannelId | undefined;
}

/** The channel's members, read and kept fresh only while this is shown: a phone with its drawer closed asks for nothing. */
export function MembersPanel({ channelId, ...props }: MembersPanelProps) {
  const realtime = useRealtime();
  const queryClient = useQueryClient();
  const members = useQuery(channelMembersQuery(useApi(), channelId));

  useEffect(() => {
    if (channelId === undefined) return;
    return keepMembersFresh(queryClient, realtime, channelId);
  }, [queryClient, realtime, channelId]);

  return (
    <RoomMembers members={members.data} hasFailed={members.isError} onRetry={() => void members.refetch()} {...props} />
  );
}
