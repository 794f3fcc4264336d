import { browserDeps } from '#src/features/voice/engine/browser-deps.ts';
import { createCallMedia } from '#src/features/voice/engine/call-media.ts';
import { browserCameras } from '#src/features/voice/engine/camera.ts';
import { pageVoiceEngine } from '#src/features/voice/engine/page-voice-engine.ts';
import { createRinger, type Ringer } from '#src/features/voice/engine/web-audio.ts';
import { loudspeakerOf, readPreferences } from '#src/features/voice/settings/voice-preferences.ts';
import type { Realtime } from '#src/shared/realtime/realtime.ts';
import type { AppStorage } from '#src/shared/storage.ts';
import type { CallParts } from './call-controller.ts';

/** Opens the ringer for calls and the tones of messages. */
export const openRinger = (storage: AppStorage): Ringer => createRinger(browserDeps(loudspeakerOf(storage)));

/** Creates the voice engine's parts for calls. */
export const createCallParts = (realtime: Realtime, storage: AppStorage): CallParts => ({
  openRinger: () => openRinger(storage),
  openVoice(options) {
    const preferences = readPreferences(storage);
    const engine = pageVoiceEngine(realtime, loudspeakerOf(storage), preferences).devices;
    return createCallMedia({ ...options, engine, cameras: browserCameras(), cameraId: preferences.cameraId });
  },
});
