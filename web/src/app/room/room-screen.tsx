import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { MembersView } from '#src/features/members/members-part.ts';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { useStays } from '#src/features/voice/stays-context.tsx';
import { useRoomPart } from '#src/features/voice/use-room-part.ts';
import { useStorage, useUser } from '#src/shared/services.tsx';
import type { OpenRoom } from './open-stay.ts';
import type { Panel } from './panel-names.ts';
import { RoomCrash } from './room-crash.tsx';
import { createLocator, useRoomContent } from './room-panels.tsx';
import { type RoomLayout, RoomView } from './room-view.tsx';
import { useRoomPlace } from './use-frame.ts';
import { type StayPage, useStayPage, useStayState } from './use-stay.ts';

export interface RoomScreenProps {
  /** The channel's rtcSession, from the URL. */
  roomKey: string;
  layout: RoomLayout;
  /** Called when the channel has another key. The URL must follow, because the old key leads nowhere. */
  onRenamed?: (roomKey: string) => void;
  /** The panel that the address names, and the function that changes it. */
  wanted: Panel | undefined;
  onWant: (panel: Panel | undefined) => void;
  /** The members' filter and order in the address, and the function that changes them. */
  members: MembersView;
  onMembers: (view: MembersView) => void;
  /** Opens the room; tests pass a fake. */
  openRoom?: OpenRoom;
}

/** The channel room. Enters it, unless the user is already in it. Leaving the page ends a talk; in the shell the stay goes on. */
export function RoomScreen({ openRoom, ...props }: RoomScreenProps) {
  const page = useStayPage({ roomKey: props.roomKey, isKept: props.layout === 'shell', openRoom });
  const stays = useStays();
  const navigate = useNavigate();
  if (page === null) return null;
  const onLeave = () => {
    stays.leave();
    void navigate({ to: '/channelsList' });
  };
  return (
    <RoomCrash stay={page.stay} onLeave={onLeave}>
      <RoomStay {...props} page={page} />
    </RoomCrash>
  );
}

function RoomStay({
  page,
  roomKey,
  onRenamed,
  members,
  onMembers,
  ...props
}: Omit<RoomScreenProps, 'openRoom'> & { page: StayPage }) {
  const { stay } = page;
  const user = useUser();
  const [locator] = useState(createLocator);
  const locate = user.role === 'admin' || user.mapRight ? locator.locate : undefined;
  const { fallbackName, onLeave, onSignIn, toList } = useStayState(stay, roomKey, onRenamed, locate);
  const shown = useRoomPart(stay.room, ofPanels);
  const place = useRoomPlace(useStorage());
  const content = useRoomContent({
    ...shown,
    room: stay.room,
    sharing: stay.sharing,
    place,
    onWant: props.onWant,
    members,
    onMembers,
    locator,
  });
  return (
    <RoomView
      {...props}
      place={place}
      {...content}
      room={stay.room}
      actions={stay.actions}
      preferences={page.preferences}
      onPreferences={page.onPreferences}
      onChoosingKey={(isChoosing) => stay.room.pageTalk.setKey({ isChoosing })}
      fallbackName={fallbackName}
      onLeave={onLeave}
      onBack={props.layout === 'bare' ? undefined : toList}
      onSignIn={onSignIn}
      onAgain={page.onAgain}
    />
  );
}

/** The part of a room's snapshot that the panels show: its channel, and who is there and talks. */
const ofPanels = ({ status, channel, participants }: RoomSnapshot) => ({ status, channel, participants });
