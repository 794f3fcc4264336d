import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { browserDeps } from '#src/features/voice/engine/browser-deps.ts';
import { bindButtonActs } from '#src/features/voice/engine/button-acts.ts';
import { bindPageGuards, bindTalkButton, bindTalkKey } from '#src/features/voice/engine/release-guards.ts';
import { createVoiceRoom, type VoiceRoomDeps } from '#src/features/voice/engine/room.ts';
import type { VoiceRoom } from '#src/features/voice/engine/types.ts';
import { createLevelMeter } from '#src/features/voice/level-meter.ts';
import type { VoiceActions } from '#src/features/voice/voice-actions.ts';
import {
  DEFAULT_VOICE_PREFERENCES,
  type VoicePreferences,
  voicePreferences,
} from '#src/features/voice/voice-preferences.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import { useApi, useRealtime, useSession, useStorage } from '#src/shared/services.tsx';
import type { AppStorage } from '#src/shared/storage.ts';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { useRegisterRoom } from '../shell/current-room.tsx';
import { channelMembersQuery, keepMembersFresh } from './room-members.queries.ts';
import { membersCount } from './room-members.rules.ts';
import { RoomMembers } from './room-members.tsx';
import { type RoomLayout, RoomView } from './room-view.tsx';

export type OpenRoom = (deps: Omit<VoiceRoomDeps, 'platform'>) => VoiceRoom;

const openVoiceRoom: OpenRoom = (deps) => createVoiceRoom({ ...deps, platform: browserDeps() });

export interface RoomScreenProps {
  /** The channel's rtcSession, from the URL. */
  roomKey: string;
  layout: RoomLayout;
  /** The channel has another key now, which belongs into the URL: the old one leads nowhere. */
  onRenamed?: (roomKey: string) => void;
  /** Opens the room; tests pass a fake. */
  openRoom?: OpenRoom;
}

/** One visit to a room: the engine, and the actions for the views. */
interface Stay {
  room: VoiceRoom;
  actions: VoiceActions;
}

/** The channel room: enters it, binds talk key and page guards, and leaves it on unmount. */
export function RoomScreen({ roomKey, layout, onRenamed, openRoom = openVoiceRoom }: RoomScreenProps) {
  const realtime = useRealtime();
  const storage = useStorage();
  const [visit, setVisit] = useState(0);
  const [stay, setStay] = useState<Stay | undefined>(undefined);
  const [entered, setEntered] = useState(roomKey);
  // A URL that follows the new name of the room on the screen enters nothing, and ends no talk.
  if (roomKey !== entered && roomKey !== stay?.room.getSnapshot().channel?.rtcSession) setEntered(roomKey);
  const [preferences, setPreferences] = useState(() => readPreferences(storage));
  /** Read by the engine at each key event. While a new talk key is being chosen, no key talks. */
  const talkKey = useRef({ code: preferences.talkKey.code, isChoosing: false });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `visit` number enters the room again
  useEffect(() => {
    const { talkKey: _, ...forEngine } = readPreferences(storage);
    const room = openRoom({ room: entered, signalling: realtime, preferences: forEngine });
    const stops = [
      bindPageGuards(room),
      realtime.listen(),
      bindTalkKey(room, { code: () => (talkKey.current.isChoosing ? '' : talkKey.current.code) }),
    ];
    setStay({ room, actions: actionsOf(room, realtime) });
    return () => {
      for (const stop of stops) stop();
      room.close();
      setStay(undefined);
    };
  }, [entered, realtime, storage, openRoom, visit]);

  if (stay === undefined) return null;
  return (
    <RoomStay
      stay={stay}
      roomKey={roomKey}
      layout={layout}
      onRenamed={onRenamed}
      preferences={preferences}
      onPreferences={(change) => {
        const next = { ...preferences, ...change };
        setPreferences(next);
        storage.writePreference('voice', next);
        stay.room.setPreferences(next);
        talkKey.current.code = next.talkKey.code;
      }}
      onChoosingKey={(isChoosing) => {
        talkKey.current.isChoosing = isChoosing;
      }}
      onAgain={() => {
        setEntered(roomKey);
        setVisit((count) => count + 1);
      }}
    />
  );
}

interface RoomStayProps {
  stay: Stay;
  roomKey: string;
  layout: RoomLayout;
  onRenamed: ((roomKey: string) => void) | undefined;
  preferences: VoicePreferences;
  onPreferences: (change: Partial<VoicePreferences>) => void;
  onChoosingKey: (isChoosing: boolean) => void;
  onAgain: () => void;
}

function RoomStay({ stay, roomKey, onRenamed, ...props }: RoomStayProps) {
  const snapshot = useSnapshot(stay.room);
  const api = useApi();
  const realtime = useRealtime();
  const storage = useStorage();
  const session = useSession();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const { channel } = snapshot;
  const channelId = channel?.id;
  const isLive = snapshot.status.state === 'joined';
  const members = useQuery(channelMembersQuery(api, channelId));

  useEffect(() => {
    if (channelId === undefined) return;
    return keepMembersFresh(queryClient, realtime, channelId);
  }, [queryClient, realtime, channelId]);

  const key = isLive ? channel?.rtcSession : undefined;
  useEffect(() => {
    if (key !== undefined && key !== roomKey) onRenamed?.(key);
  }, [key, roomKey, onRenamed]);

  const { state } = snapshot.status;
  useRegisterRoom(state === 'closed' || state === 'refused' ? null : channel, stay.actions.stop);

  useEffect(() => {
    if (channel) storage.keepRoom({ channelId: channel.id, channelName: channel.name, roomId: roomKey });
  }, [storage, channel, roomKey]);

  return (
    <RoomView
      {...props}
      snapshot={snapshot}
      actions={stay.actions}
      fallbackName={storage.readRoomName(roomKey) ?? roomKey}
      members={
        <RoomMembers
          members={members.data}
          hasFailed={members.isError}
          onRetry={() => void members.refetch()}
          participants={snapshot.participants}
          isLive={isLive}
        />
      }
      membersCount={isLive ? membersCount(members.data, snapshot.participants) : undefined}
      onLeave={() => void navigate({ to: '/channelsList' })}
      onSignIn={() => {
        // The server ended the session. Check it first, otherwise the guard of /signin redirects back.
        void session.check().then(() => navigate({ to: '/signin' }));
      }}
    />
  );
}

const readPreferences = (storage: AppStorage): VoicePreferences =>
  storage.readPreference('voice', voicePreferences) ?? DEFAULT_VOICE_PREFERENCES;

const actionsOf = (room: VoiceRoom, realtime: Pick<Realtime, 'reconnect'>): VoiceActions => ({
  reconnect: realtime.reconnect,
  stop: room.stop,
  levels: createLevelMeter(room.level),
  selectMicrophone: room.selectMicrophone,
  retryMicrophone: room.retryMicrophone,
  unlockAudio: room.unlockAudio,
  dismissMissed: room.dismissMissed,
  bindButton: (element) => {
    if (element === null) return undefined;
    const stops = [bindTalkButton(room, element), bindButtonActs(room, element)];
    return () => {
      for (const stop of stops) stop();
    };
  },
});
