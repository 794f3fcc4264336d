import type { ChannelId, UserId } from '@pressel/contract/ids';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { RoomParticipant } from '#src/features/voice/engine/types.ts';
import { useApi, useRealtime } from '#src/shared/services.tsx';
import { channelMembersQuery, keepMembersFresh } from './room-members.queries.ts';
import { RoomMembers } from './room-members.tsx';

export interface MembersPanelProps {
  /** Undefined until the room was entered. */
  channelId: ChannelId | undefined;
  participants: readonly RoomParticipant[];
  /** False while the link is lost: presence is then unknown. */
  isLive: boolean;
  onLocate: ((userId: UserId, name: string) => void) | undefined;
}

/** The channel's members, read and kept fresh only while this is shown: a phone with its drawer closed asks for nothing. */
export function MembersPanel({ channelId, participants, isLive, onLocate }: MembersPanelProps) {
  const realtime = useRealtime();
  const queryClient = useQueryClient();
  const members = useQuery(channelMembersQuery(useApi(), channelId));

  useEffect(() => {
    if (channelId === undefined) return;
    return keepMembersFresh(queryClient, realtime, channelId);
  }, [queryClient, realtime, channelId]);

  return (
    <RoomMembers
      members={members.data}
      hasFailed={members.isError}
      onRetry={() => void members.refetch()}
      participants={participants}
      isLive={isLive}
      onLocate={onLocate}
    />
  );
}
