import type { ChannelId } from '@pressel/contract/ids';
import { useNavigate } from '@tanstack/react-router';
import { startTransition, useEffect, useState } from 'react';
import { isFinal } from '#src/features/voice/final-status.ts';
import {
  keepPreferences,
  type PreferencesChange,
  readPreferences,
  type VoicePreferences,
} from '#src/features/voice/settings/voice-preferences.ts';
import type { Stay } from '#src/features/voice/stays.ts';
import { useStays } from '#src/features/voice/stays-context.tsx';
import { useRoomPart } from '#src/features/voice/use-room-part.ts';
import { useRealtime, useSession, useStorage } from '#src/shared/services.tsx';
import { useSnapshot } from '#src/shared/use-snapshot.ts';
import { type CurrentRoom, useRegisterRoom } from '../shell/current-room.tsx';
import { type CreateVideo, type OpenRoom, openRoomSession, openStay } from './open-stay.ts';

export interface StayPage {
  stay: Stay;
  preferences: VoicePreferences;
  onPreferences: (change: PreferencesChange) => void;
  onAgain: () => void;
}

interface StayPageOptions {
  /** The channel's rtcSession, from the URL. */
  roomKey: string;
  /** Enters by this id instead. */
  channelId?: ChannelId;
  /** Whether the stay outlives the page. */
  isKept: boolean;
  openRoom?: OpenRoom | undefined;
  createVideo?: CreateVideo;
}

/**
 * Enters a room, unless the user is already in it. Leaving the page ends a talk. Null until the stay is in the
 * requested room.
 */
export function useStayPage(options: StayPageOptions): StayPage | null {
  const { roomKey, channelId, isKept, openRoom = openRoomSession, createVideo } = options;
  const realtime = useRealtime();
  const storage = useStorage();
  const stays = useStays();
  const current = useSnapshot(stays);
  const [entered, setEntered] = useState<{ stay: Stay; roomKey: string }>();
  const [visit, setVisit] = useState(0);
  const [preferences, setPreferences] = usePreferences();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `visit` number enters the room again
  useEffect(() => {
    const stay = stays.enter(
      roomKey,
      (room) => openStay({ room, channelId, realtime, storage, openRoom, createVideo }),
      createVideo !== undefined,
    );
    stay.room.pageTalk.setKey({ isOnItsPage: true });
    // A transition, because the user is already in the room and hears talkers meanwhile.
    startTransition(() => setEntered({ stay, roomKey }));
  }, [stays, roomKey, channelId, realtime, storage, openRoom, createVideo, visit]);

  useEffect(
    () => () => {
      const stay = stays.getSnapshot();
      if (stay === undefined) return;
      // The talk button is gone with the page [TALK67].
      stay.room.stop();
      stay.room.pageTalk.setKey({ isOnItsPage: false });
      if (!isKept || isFinal(stay.room.getSnapshot().status)) stays.leave();
    },
    [stays, isKept],
  );

  if (entered === undefined || entered.stay !== current) return null;
  const { stay } = entered;
  // The address names another room, which is entered next, unless this one was renamed.
  if (entered.roomKey !== roomKey && stay.room.getSnapshot().channel?.rtcSession !== roomKey) return null;
  return {
    stay,
    preferences,
    onPreferences: (change) => setPreferences(change, [stay]),
    onAgain: () => setVisit((count) => count + 1),
  };
}

/**
 * Returns the preferences of this browser and its user, and a function that changes them. A change is kept, and applies
 * to these rooms at once.
 */
export function usePreferences(): [
  VoicePreferences,
  (change: PreferencesChange, stays: readonly Pick<Stay, 'room'>[]) => void,
] {
  const storage = useStorage();
  const [preferences, setPreferences] = useState(() => readPreferences(storage));
  const change = (wanted: PreferencesChange, stays: readonly Pick<Stay, 'room'>[]) => {
    const kept = readPreferences(storage);
    const next = { ...kept, ...(typeof wanted === 'function' ? wanted(kept) : wanted) };
    setPreferences(next);
    keepPreferences(storage, next);
    for (const { room } of stays) {
      room.setPreferences(next);
      room.pageTalk.setKey({ code: next.talkKey.code });
    }
  };
  return [preferences, change];
}

export interface StayState {
  /** Shown until the channel's name is loaded. */
  fallbackName: string;
  /** Whether the user is in the room and its news are certain. */
  isLive: boolean;
  onLeave: () => void;
  onSignIn: () => void;
  toList: () => void;
}

/** The logic of a room's page apart from its rendering: it keeps the address, the storage and the shell informed. */
export function useStayState(
  stay: Stay,
  roomKey: string,
  onRenamed: ((key: string) => void) | undefined,
  locate?: CurrentRoom['locate'],
): StayState {
  const channel = useRoomPart(stay.room, (snapshot) => snapshot.channel);
  const status = useRoomPart(stay.room, (snapshot) => snapshot.status);
  const storage = useStorage();
  const session = useSession();
  const navigate = useNavigate();
  const stays = useStays();
  const isLive = status.state === 'joined';
  const key = isLive ? channel?.rtcSession : undefined;
  useEffect(() => {
    if (key !== undefined && key !== roomKey) onRenamed?.(key);
  }, [key, roomKey, onRenamed]);

  useRegisterRoom(isFinal(status) ? null : channel, { stopTalking: stay.actions.stop, locate });

  useEffect(() => {
    if (channel) storage.keepRoom({ channelId: channel.id, channelName: channel.name, roomId: roomKey });
  }, [storage, channel, roomKey]);

  const toList = () => void navigate({ to: '/channelsList' });
  return {
    fallbackName: storage.readRoomName(roomKey) ?? roomKey,
    isLive,
    onLeave() {
      stays.leave();
      toList();
    },
    onSignIn() {
      // The server ended the session. Check it first, otherwise the guard of /signin redirects back.
      void session.check().then(() => navigate({ to: '/signin' }));
    },
    toList,
  };
}
