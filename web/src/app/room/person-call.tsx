import type { ChannelId, UserId } from '@pressel/contract/ids';
import { CallButton } from '#src/features/calls/call-button.tsx';
import type { RoomParticipant } from '#src/features/voice/engine/types.ts';
import { isMemberReachable } from './room-members.rules.ts';
import { useChannelMembers } from './use-channel-members.ts';

export interface PersonCallProps {
  channelId: ChannelId;
  participants: readonly RoomParticipant[];
  /** False while the link is lost: presence is then unknown. */
  isLive: boolean;
  id: UserId;
  name: string;
}

/** Calls a member of whom the map shows where they are, while their row among the members has that button too (RING17). */
export function PersonCall({ channelId, participants, isLive, id, name }: PersonCallProps) {
  const members = useChannelMembers(channelId).data;
  return isMemberReachable(id, members, participants, isLive) && <CallButton id={id} name={name} />;
}
