import { SideMembers } from '#src/features/members/side-members.tsx';
import type { CurrentRoom } from '#src/features/room/current-room.tsx';
import { MemberActs } from '#src/features/room/member-acts.tsx';

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
