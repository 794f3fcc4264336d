import type { ChannelId, UserId } from '@pressel/contract/ids';
import { CallButton } from '#src/features/calls/call-button.tsx';
import { isMemberReachable } from '#src/features/members/members.rules.ts';
import { useMember } from '#src/features/members/use-members.ts';
import type { RoomParticipant } from '#src/features/voice/engine/types.ts';

export interface PersonCallProps {
  channelId: ChannelId;
  participants: readonly RoomParticipant[];
  /** False while the link is lost: presence is then unknown. */
  isLive: boolean;
  id: UserId;
  name: string;
}

/** Calls a member who is shown on the map, while the member's row has that button too (RING17). */
export function PersonCall({ channelId, participants, isLive, id, name }: PersonCallProps) {
  const member = useMember(channelId, id);
  return isMemberReachable(id, member, { channelId, participants, isLive }) && <CallButton id={id} name={name} />;
}
