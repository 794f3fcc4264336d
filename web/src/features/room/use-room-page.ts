import type { ChannelId } from '@pressel/contract/ids';
import { useNavigate } from '@tanstack/react-router';
import { startTransition, useEffect, useState } from 'react';
import { isFinal } from '#src/features/voice/engine/types.ts';
import {
  keepPreferences,
  type PreferencesChange,
  readPreferences,
  type VoicePreferences,
} from '#src/features/voice/settings/voice-preferences.ts';
import { useRoomSelector } from '#src/features/voice/use-room-selector.ts';
import { useRealtime, useSession, useStorage } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { type CreateVideo, createEnteredRoom, type OpenRoomSession, openRoomSession } from './create-entered-room.ts';
import { type CurrentRoom, useRegisterRoom } from './current-room.tsx';
import type { EnteredRoom } from './entered-rooms.ts';
import { useEnteredRooms } from './entered-rooms-context.tsx';

export interface RoomPageState {
  enteredRoom: EnteredRoom;
  preferences: VoicePreferences;
  onPreferences: (change: PreferencesChange) => void;
  onAgain: () => void;
}

interface RoomPageOptions {
  /** The channel's rtcSession, from the URL. */
  roomKey: string;
  /** Enters by this id instead. */
  channelId?: ChannelId;
  /** Whether the user stays in the room when the page goes. */
  isKept: boolean;
  openRoom?: OpenRoomSession | undefined;
  createVideo?: CreateVideo;
}

/**
 * Enters a room, unless the user is already in it. Leaving the page ends a talk. Null until the requested room
 * is entered.
 */
export function useRoomPageState(options: RoomPageOptions): RoomPageState | null {
  const { roomKey, channelId, isKept, openRoom = openRoomSession, createVideo } = options;
  const realtime = useRealtime();
  const storage = useStorage();
  const enteredRooms = useEnteredRooms();
  const current = useSnapshot(enteredRooms);
  const [entered, setEntered] = useState<{ enteredRoom: EnteredRoom; roomKey: string }>();
  const [visit, setVisit] = useState(0);
  const [preferences, setPreferences] = usePreferences();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `visit` number enters the room again
  useEffect(() => {
    const enteredRoom = enteredRooms.enter(
      roomKey,
      (room) => createEnteredRoom({ room, channelId, realtime, storage, openRoom, createVideo }),
      createVideo !== undefined,
    );
    enteredRoom.room.pageTalk.setKey({ isOnItsPage: true });
    // A transition, because the user is already in the room and hears talkers meanwhile.
    startTransition(() => setEntered({ enteredRoom, roomKey }));
  }, [enteredRooms, roomKey, channelId, realtime, storage, openRoom, createVideo, visit]);

  useEffect(
    () => () => {
      const enteredRoom = enteredRooms.getSnapshot();
      if (enteredRoom === undefined) return;
      // The talk button is gone with the page [TALK67].
      enteredRoom.room.stop();
      enteredRoom.room.pageTalk.setKey({ isOnItsPage: false });
      if (!isKept || isFinal(enteredRoom.room.getSnapshot().status)) enteredRooms.leave();
    },
    [enteredRooms, isKept],
  );

  if (entered === undefined || entered.enteredRoom !== current) return null;
  const { enteredRoom } = entered;
  // The address names another room, which is entered next, unless this one was renamed.
  if (entered.roomKey !== roomKey && enteredRoom.room.getSnapshot().channel?.rtcSession !== roomKey) return null;
  return {
    enteredRoom,
    preferences,
    onPreferences: (change) => setPreferences(change, [enteredRoom]),
    onAgain: () => setVisit((count) => count + 1),
  };
}

/**
 * Returns the preferences of this browser and its user, and a function that changes them. A change is kept, and applies
 * to these rooms at once.
 */
export function usePreferences(): [
  VoicePreferences,
  (change: PreferencesChange, enteredRooms: readonly Pick<EnteredRoom, 'room'>[]) => void,
] {
  const storage = useStorage();
  const [preferences, setPreferences] = useState(() => readPreferences(storage));
  const change = (wanted: PreferencesChange, enteredRooms: readonly Pick<EnteredRoom, 'room'>[]) => {
    const kept = readPreferences(storage);
    const next = { ...kept, ...(typeof wanted === 'function' ? wanted(kept) : wanted) };
    setPreferences(next);
    keepPreferences(storage, next);
    for (const { room } of enteredRooms) {
      room.setPreferences(next);
      room.pageTalk.setKey({ code: next.talkKey.code });
    }
  };
  return [preferences, change];
}

export interface RoomPageActions {
  /** Shown until the channel's name is loaded. */
  fallbackName: string;
  /** Whether the user is in the room and its news are certain. */
  isLive: boolean;
  onLeave: () => void;
  onSignIn: () => void;
  toList: () => void;
}

/** The logic of a room's page apart from its rendering: it keeps the address, the storage and the shell informed. */
export function useRoomPageActions(
  enteredRoom: EnteredRoom,
  roomKey: string,
  onRenamed: ((key: string) => void) | undefined,
  locate?: CurrentRoom['locate'],
): RoomPageActions {
  const channel = useRoomSelector(enteredRoom.room, (snapshot) => snapshot.channel);
  const status = useRoomSelector(enteredRoom.room, (snapshot) => snapshot.status);
  const storage = useStorage();
  const session = useSession();
  const navigate = useNavigate();
  const enteredRooms = useEnteredRooms();
  const isLive = status.state === 'joined';
  const key = isLive ? channel?.rtcSession : undefined;
  useEffect(() => {
    if (key !== undefined && key !== roomKey) onRenamed?.(key);
  }, [key, roomKey, onRenamed]);

  useRegisterRoom(isFinal(status) ? null : channel, { stopTalking: enteredRoom.actions.stop, locate });

  useEffect(() => {
    if (channel) storage.keepRoom({ channelId: channel.id, channelName: channel.name, roomId: roomKey });
  }, [storage, channel, roomKey]);

  const toList = () => void navigate({ to: '/channelsList' });
  return {
    fallbackName: storage.readRoomName(roomKey) ?? roomKey,
    isLive,
    onLeave() {
      enteredRooms.leave();
      toList();
    },
    onSignIn() {
      // The server ended the session. Check it first, otherwise the guard of /signin redirects back.
      void session.check().then(() => navigate({ to: '/signin' }));
    },
    toList,
  };
}
