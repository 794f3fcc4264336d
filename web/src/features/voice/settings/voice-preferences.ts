import type { UserId } from '@pressel/contract/ids';
import { z } from '@pressel/contract/zod';
import type { AppStorage } from '#src/shared/storage.ts';
import { browserLoudspeaker } from '../engine/browser-deps.ts';
import type { Loudspeaker } from '../engine/playback.ts';
import { DEFAULT_TALK_KEY, keyConflict } from '../talk-key.ts';

/** Maximum tail in the settings, ms; longer than anyone's last word. The engine accepts up to 1000. */
export const TAIL_MAX_MS = 500;
export const TAIL_STEP_MS = 50;
const TAIL_DEFAULT_MS = 200;

/** The quietest that a room can be set to for good. */
export const ROOM_VOLUME_MIN = 0.05;

const talkKey = z
  .object({ code: z.string().min(1).max(40), label: z.string().max(8) })
  .refine((key) => keyConflict(key.code) !== 'reserved');

/** Voice preferences of this browser, for everybody who uses it, as stored. An invalid field gets its default. */
export const voicePreferences = z.object({
  tones: z.boolean().catch(true),
  tailMs: z.int().min(0).max(TAIL_MAX_MS).catch(TAIL_DEFAULT_MS),
  talkKey: talkKey.catch(DEFAULT_TALK_KEY),
  /** Empty: the browser's default. */
  microphoneId: z.string().max(200).catch(''),
  /** Empty: the browser's default. */
  loudspeakerId: z.string().max(200).catch(''),
  /** Empty: the browser's default. */
  cameraId: z.string().max(200).catch(''),
});

/** Voice preferences of one user in this browser: nobody else's listening changes with them [AUTH17]. */
export const ownVoicePreferences = z.object({
  /** Whether one's own voice is played when it comes from another tab or device [TALK52]. */
  hearsOwnDevices: z.boolean().catch(false),
  /** How loud people are played, by their id, 0..1; who is not named at 1 [TALK56]. */
  volumes: z.record(z.string().max(64), z.number().min(0).max(1)).catch({}),
  /** How loud all voices of a room are played [TALK125]; never silent, which is no lasting choice. */
  roomVolume: z.number().min(ROOM_VOLUME_MIN).max(1).catch(1),
  /** Whether the video view is entered with the camera on. */
  isCameraOn: z.boolean().catch(true),
});
export type VoicePreferences = z.infer<typeof voicePreferences> & z.infer<typeof ownVoicePreferences>;

/** What this browser and its user chose. */
export const readPreferences = (storage: Pick<AppStorage, 'readPreference'>): VoicePreferences => ({
  ...DEFAULT_VOICE_PREFERENCES,
  ...storage.readPreference('voice', voicePreferences),
  ...storage.readPreference('ownVoice', ownVoicePreferences),
});

export function keepPreferences(storage: Pick<AppStorage, 'writePreference'>, preferences: VoicePreferences): void {
  storage.writePreference('voice', voicePreferences.parse(preferences));
  storage.writePreference('ownVoice', ownVoicePreferences.parse(preferences));
}

/** By storage, of which a page has one. */
const loudspeakers = new WeakMap<object, Loudspeaker>();

/** The loudspeaker of this page, which its rooms, calls and rings share. */
export function loudspeakerOf(storage: Pick<AppStorage, 'readPreference'>): Loudspeaker {
  const known = loudspeakers.get(storage) ?? browserLoudspeaker(readPreferences(storage).loudspeakerId);
  loudspeakers.set(storage, known);
  return known;
}

/** What somebody chose, or how it follows from what is kept now: another tab of the browser may have changed that. */
export type PreferencesChange = Partial<VoicePreferences> | ((kept: VoicePreferences) => Partial<VoicePreferences>);

/** People whose volume is remembered in a browser; beyond that the ones set longest ago are forgotten. */
const VOLUMES_MAX = 500;

/** The volumes with one more set. Full volume is what is not remembered. */
export function withVolume(volumes: VoicePreferences['volumes'], userId: UserId, volume: number) {
  const others = Object.entries(volumes).filter(([id]) => id !== userId);
  const all = volume === 1 ? others : [...others, [userId, volume] as const];
  return Object.fromEntries(all.slice(-VOLUMES_MAX));
}

export const DEFAULT_VOICE_PREFERENCES: VoicePreferences = {
  tones: true,
  tailMs: TAIL_DEFAULT_MS,
  talkKey: DEFAULT_TALK_KEY,
  hearsOwnDevices: false,
  volumes: {},
  roomVolume: 1,
  microphoneId: '',
  loudspeakerId: '',
  isCameraOn: true,
  cameraId: '',
};
