import type { ChannelId } from '@pressel/contract/ids';
import { RoomMembers, type RoomMembersProps } from './room-members.tsx';
import { useChannelMembers } from './use-channel-members.ts';

export interface MembersPanelProps extends Omit<RoomMembersProps, 'members' | 'hasFailed' | 'onRetry'> {
  /** Undefined until the room was entered. */
  channelId: ChannelId | undefined;
}

/** The channel's members. */
export function MembersPanel({ channelId, ...props }: MembersPanelProps) {
  const members = useChannelMembers(channelId);
  return (
    <RoomMembers members={members.data} hasFailed={members.isError} onRetry={() => void members.refetch()} {...props} />
  );
}
