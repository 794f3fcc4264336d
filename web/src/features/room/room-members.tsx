import { MembersPanel, type MembersPanelProps } from '#src/features/members/members-panel.tsx';
import { PersonTag } from '#src/features/voice/tiles/person-tag.tsx';
import { MemberActs } from './member-acts.tsx';

/** The channel's members, with buttons for each of them. */
export function RoomMembers(props: Omit<MembersPanelProps, 'acts' | 'guestTag'>) {
  return (
    <MembersPanel
      acts={(row) => <MemberActs row={row} />}
      guestTag={<PersonTag says="guest" place="row" />}
      {...props}
    />
  );
}
