import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { MembersView } from '#src/features/members/members-part.ts';
import type { RoomSnapshot } from '#src/features/voice/engine/types.ts';
import { useRoomSelector } from '#src/features/voice/use-room-selector.ts';
import { useStorage, useUser } from '#src/shared/services.tsx';
import type { OpenRoomSession } from './create-entered-room.ts';
import { useEnteredRooms } from './entered-rooms-context.tsx';
import type { Panel } from './panel-names.ts';
import { RoomCrash } from './room-crash.tsx';
import { createLocator, useRoomContent } from './room-panels.tsx';
import { type RoomLayout, RoomView } from './room-view.tsx';
import { useRoomFrameState } from './use-room-frame-state.ts';
import { type RoomPageState, useRoomPageActions, useRoomPageState } from './use-room-page.ts';

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
  openRoom?: OpenRoomSession;
}

/** The channel room. Enters it, unless the user is already in it. Leaving the page ends a talk; in the shell the user stays in the room. */
export function RoomScreen({ openRoom, ...props }: RoomScreenProps) {
  const page = useRoomPageState({ roomKey: props.roomKey, isKept: props.layout === 'shell', openRoom });
  const enteredRooms = useEnteredRooms();
  const navigate = useNavigate();
  if (page === null) return null;
  const onLeave = () => {
    enteredRooms.leave();
    void navigate({ to: '/channelsList' });
  };
  return (
    <RoomCrash enteredRoom={page.enteredRoom} onLeave={onLeave}>
      <RoomScreenContent {...props} page={page} />
    </RoomCrash>
  );
}

function RoomScreenContent({
  page,
  roomKey,
  onRenamed,
  members,
  onMembers,
  ...props
}: Omit<RoomScreenProps, 'openRoom'> & { page: RoomPageState }) {
  const { enteredRoom } = page;
  const user = useUser();
  const [locator] = useState(createLocator);
  const locate = user.role === 'admin' || user.mapRight ? locator.locate : undefined;
  const { fallbackName, onLeave, onSignIn, toList } = useRoomPageActions(enteredRoom, roomKey, onRenamed, locate);
  const shown = useRoomSelector(enteredRoom.room, ofPanels);
  const frameState = useRoomFrameState(useStorage());
  const content = useRoomContent({
    ...shown,
    room: enteredRoom.room,
    sharing: enteredRoom.sharing,
    frameState,
    onWant: props.onWant,
    members,
    onMembers,
    locator,
  });
  return (
    <RoomView
      {...props}
      frameState={frameState}
      {...content}
      room={enteredRoom.room}
      actions={enteredRoom.actions}
      preferences={page.preferences}
      onPreferences={page.onPreferences}
      onChoosingKey={(isChoosing) => enteredRoom.room.pageTalk.setKey({ isChoosing })}
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
