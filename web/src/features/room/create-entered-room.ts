import type { ChannelId } from '@pressel/contract/ids';
import { browserGeolocation, createPositionSharing } from '#src/features/positions/position-sharing.ts';
import { pageVoiceEngine } from '#src/features/voice/engine/page-voice-engine.ts';
import type { Loudspeaker } from '#src/features/voice/engine/platform.ts';
import type { RoomOptions, RoomSession } from '#src/features/voice/engine/room-types.ts';
import { bindWholeButton } from '#src/features/voice/engine/talk-button.ts';
import { isFinal, type Signalling } from '#src/features/voice/engine/types.ts';
import type { Video, VideoDeps } from '#src/features/voice/engine/video.ts';
import { createLevelMeter } from '#src/features/voice/level-meter.ts';
import { loudspeakerOf, readPreferences } from '#src/features/voice/settings/voice-preferences.ts';
import type { VoiceActions } from '#src/features/voice/use-room-selector.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { AppStorage } from '#src/shared/storage.ts';
import type { EnteredRoom } from './entered-rooms.ts';

export interface OpenRoomSessionDeps extends RoomOptions {
  signalling: Signalling;
  loudspeaker: Loudspeaker;
  preferences: RoomOptions['preferences'] & { microphoneId: string };
}
export type OpenRoomSession = (deps: OpenRoomSessionDeps) => RoomSession;

export type CreateVideo = (deps: Omit<VideoDeps, 'access'>) => Video;

/** Opens a room in the existing voice engine, or in a new one. */
export const openRoomSession: OpenRoomSession = ({ signalling, loudspeaker, ...options }) =>
  pageVoiceEngine(signalling, loudspeaker, options.preferences).enter(options);

/** Opens the page's voice engine and holds it open for a room that is about to be entered. @returns the function that lets it go */
export const holdVoice = (signalling: Signalling, storage: AppStorage): (() => void) =>
  pageVoiceEngine(signalling, loudspeakerOf(storage), readPreferences(storage)).devices.keepOpen();

export interface EnteredRoomDeps {
  /** The channel's rtcSession. */
  room: string;
  realtime: Realtime;
  storage: AppStorage;
  /** Enters by this id instead. */
  channelId?: ChannelId | undefined;
  openRoom: OpenRoomSession;
  /** Only the video view passes it. */
  createVideo?: CreateVideo | undefined;
}

/** Opens the room with the talk key of the user's preferences. */
export function createEnteredRoom({
  room: roomKey,
  channelId,
  realtime,
  storage,
  openRoom,
  createVideo,
}: EnteredRoomDeps): EnteredRoom {
  const { talkKey, isCameraOn, cameraId, loudspeakerId: _, ...forEngine } = readPreferences(storage);
  const room = openRoom({
    ...{ room: roomKey, signalling: realtime, preferences: forEngine, channelId },
    // The video view lists no talks. Guests have no other view, and the server tells them of no talks.
    ...(createVideo === undefined && { memory: { read: storage.readTalks, keep: storage.keepTalks } }),
    loudspeaker: loudspeakerOf(storage),
    ...(createVideo && { createVideo: (deps) => createVideo({ ...deps, isCameraOn, cameraId }) }),
  });
  const sharing = createPositionSharing({ geolocation: browserGeolocation(), realtime });
  room.pageTalk.setKey({ code: talkKey.code });
  const stops = [
    sharing.stop,
    // A user who was removed or signed out has left the room, although the page still says why.
    room.subscribe(() => {
      if (isFinal(room.getSnapshot().status)) sharing.stop();
    }),
    realtime.listen(),
  ];
  return {
    room,
    actions: actionsOf(room, realtime),
    sharing,
    close() {
      for (const stop of stops) stop();
      room.close();
    },
  };
}

const actionsOf = (room: RoomSession, realtime: Pick<Realtime, 'reconnect'>): VoiceActions => ({
  reconnect: realtime.reconnect,
  stop: room.stop,
  levels: createLevelMeter(room.level),
  selectMicrophone: room.selectMicrophone,
  retryMicrophone: room.retryMicrophone,
  unlockAudio: room.unlockAudio,
  setSoundOff: room.setSoundOff,
  dismissMissed: room.dismissMissed,
  loudspeaker: room.loudspeaker,
  probe: room.probe,
  bindButton: (element) => bindWholeButton(room, element),
});
