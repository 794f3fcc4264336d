import { SideMembers } from '#src/features/members/side-members.tsx';
import { MemberActs } from '../room/member-acts.tsx';
import type { CurrentRoom } from './current-room.tsx';

/** The members of the room on the screen, with buttons for each of them. `onNavigate`: the drawer closes. */
export function SideRoomMembers({ room, onNavigate }: { room: CurrentRoom; onNavigate: (() => void) | undefined }) {
  const { channelId, locate } = room;
  return (
    <SideMembers
      channelId={channelId}
      onLocate={
        locate &&
        ((userId, name) => {
          onNavigate?.();
          locate(userId, name);
        })
      }
      acts={(row) => <MemberActs row={row} size="sm" />}
    />
  );
}
