import type { CallParts } from '#src/features/calls/call-desk.ts';
import { deskOf } from '#src/features/voice/desk-of.ts';
import { browserDeps } from '#src/features/voice/engine/browser-deps.ts';
import { createCallMedia } from '#src/features/voice/engine/call-media.ts';
import { browserCameras } from '#src/features/voice/engine/camera.ts';
import { createRinger, type Ringer } from '#src/features/voice/engine/sound-desk.ts';
import { loudspeakerOf, readPreferences } from '#src/features/voice/settings/voice-preferences.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { AppStorage } from '#src/shared/storage.ts';

/** Rings for calls, and plays the tones of messages. */
export const openRinger = (storage: AppStorage): Ringer => createRinger(browserDeps(loudspeakerOf(storage)));

/** The voice engine's part in calls. */
export const createCallParts = (realtime: Realtime, storage: AppStorage): CallParts => ({
  openRinger: () => openRinger(storage),
  openVoice: (options) => {
    const { microphoneId, cameraId } = readPreferences(storage);
    const microphone = deskOf(realtime)?.copies;
    const platform = { ...browserDeps(loudspeakerOf(storage)), ...(microphone && { microphone }) };
    return createCallMedia({
      ...{ ...options, signalling: realtime, platform, cameras: browserCameras() },
      ...{ microphoneId, cameraId },
    });
  },
});
