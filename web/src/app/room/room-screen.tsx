import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isFinal } from '#src/features/voice/final-status.ts';
import type { Stay } from '#src/features/voice/stays.ts';
import { useStays } from '#src/features/voice/stays-context.tsx';
import type { VoicePreferences } from '#src/features/voice/voice-preferences.ts';
import { useRealtime, useSession, useStorage } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { useRegisterRoom } from '../shell/current-room.tsx';
import { type OpenRoom, openStay, openVoiceRoom, readPreferences } from './open-stay.ts';
import type { Panel } from './panels.rules.ts';
import { useRoomContent } from './room-panels.tsx';
import { type RoomLayout, RoomView } from './room-view.tsx';
import { useRoomPlace } from './use-frame.ts';

export interface RoomScreenProps {
  /** The channel's rtcSession, from the URL. */
  roomKey: string;
  layout: RoomLayout;
  /** The channel has another key now, which belongs into the URL: the old one leads nowhere. */
  onRenamed?: (roomKey: string) => void;
  /** The panel that the address names, and how to name another one. */
  wanted: Panel | undefined;
  onWant: (panel: Panel | undefined) => void;
  /** Opens the room; tests pass a fake. */
  openRoom?: OpenRoom;
}

/** The channel room: enters it, unless one is in it already. Leaving the page ends a talk, and in the shell not the stay. */
export function RoomScreen({ roomKey, layout, openRoom = openVoiceRoom, ...page }: RoomScreenProps) {
  const realtime = useRealtime();
  const storage = useStorage();
  const stays = useStays();
  const current = useSnapshot(stays);
  const [entered, setEntered] = useState<{ stay: Stay; roomKey: string }>();
  const [visit, setVisit] = useState(0);
  const [preferences, setPreferences] = useState(() => readPreferences(storage));

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `visit` number enters the room again
  useEffect(() => {
    const stay = stays.enter(roomKey, (room) => openStay({ room, realtime, storage, openRoom }));
    stay.setOnItsPage(true);
    setEntered({ stay, roomKey });
  }, [stays, roomKey, realtime, storage, openRoom, visit]);

  useEffect(
    () => () => {
      const stay = stays.getSnapshot();
      if (stay === undefined) return;
      // Its button is gone with the page [TALK67].
      stay.room.stop();
      stay.setOnItsPage(false);
      if (layout === 'bare' || isFinal(stay.room.getSnapshot().status)) stays.leave();
    },
    [stays, layout],
  );

  if (entered === undefined || entered.stay !== current) return null;
  const { stay } = entered;
  // The address names another room now, which is entered next; or this one, which was renamed.
  if (entered.roomKey !== roomKey && stay.room.getSnapshot().channel?.rtcSession !== roomKey) return null;
  return (
    <RoomStay
      stay={stay}
      roomKey={roomKey}
      layout={layout}
      {...page}
      preferences={preferences}
      onPreferences={(change) => {
        const next = { ...preferences, ...change };
        setPreferences(next);
        storage.writePreference('voice', next);
        stay.room.setPreferences(next);
        stay.setTalkKey(next.talkKey.code);
      }}
      onChoosingKey={stay.setChoosingKey}
      onAgain={() => setVisit((count) => count + 1)}
    />
  );
}

interface RoomStayProps extends Omit<RoomScreenProps, 'openRoom'> {
  stay: Stay;
  preferences: VoicePreferences;
  onPreferences: (change: Partial<VoicePreferences>) => void;
  onChoosingKey: (isChoosing: boolean) => void;
  onAgain: () => void;
}

function RoomStay({ stay, roomKey, onRenamed, ...props }: RoomStayProps) {
  const snapshot = useSnapshot(stay.room);
  const storage = useStorage();
  const session = useSession();
  const navigate = useNavigate();
  const stays = useStays();
  const place = useRoomPlace(storage);
  const content = useRoomContent({ snapshot, place, onWant: props.onWant });
  const toList = () => void navigate({ to: '/channelsList' });
  const { channel } = snapshot;
  const isLive = snapshot.status.state === 'joined';
  const key = isLive ? channel?.rtcSession : undefined;
  useEffect(() => {
    if (key !== undefined && key !== roomKey) onRenamed?.(key);
  }, [key, roomKey, onRenamed]);

  useRegisterRoom(isFinal(snapshot.status) ? null : channel, stay.actions.stop);

  useEffect(() => {
    if (channel) storage.keepRoom({ channelId: channel.id, channelName: channel.name, roomId: roomKey });
  }, [storage, channel, roomKey]);

  return (
    <RoomView
      {...props}
      place={place}
      {...content}
      snapshot={snapshot}
      actions={stay.actions}
      fallbackName={storage.readRoomName(roomKey) ?? roomKey}
      onLeave={() => {
        stays.leave();
        toList();
      }}
      onBack={props.layout === 'bare' ? undefined : toList}
      onSignIn={() => {
        // The server ended the session. Check it first, otherwise the guard of /signin redirects back.
        void session.check().then(() => navigate({ to: '/signin' }));
      }}
    />
  );
}
