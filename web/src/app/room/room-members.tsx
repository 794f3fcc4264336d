import { CallButton } from '#src/features/calls/call-button.tsx';
import { isReachable } from '#src/features/members/members.rules.ts';
import { MembersPanel, type MembersPanelProps } from '#src/features/members/members-panel.tsx';
import { PersonTag } from '#src/features/voice/tiles/person-tag.tsx';

/** The channel's members, each of whom can be called while a call would ring somewhere. */
export function RoomMembers(props: Omit<MembersPanelProps, 'acts' | 'guestTag'>) {
  return (
    <MembersPanel
      acts={(row) => isReachable(row) && <CallButton id={row.id} name={row.name} />}
      guestTag={<PersonTag says="guest" place="row" />}
      {...props}
    />
  );
}
