import type { UserId } from '@pressel/contract/ids';
import { z } from '@pressel/contract/zod';
import type { AppStorage } from '#src/shared/storage.ts';
import { browserLoudspeaker } from '../engine/browser-deps.ts';
import type { Loudspeaker } from '../engine/platform.ts';
import { DEFAULT_TALK_KEY, keyConflict } from '../talk-key.ts';

/** Maximum tail in the settings, ms; longer than anyone's last word. The engine accepts up to 1000. */
export const TAIL_MAX_MS = 500;
export const TAIL_STEP_MS = 50;
const TAIL_DEFAULT_MS = 200;

/** The lowest stored volume of a room. */
export const ROOM_VOLUME_MIN = 0.05;

const talkKey = z
  .object({ code: z.string().min(1).max(40), label: z.string().max(8) })
  .refine((key) => keyConflict(key.code) !== 'reserved');

/** Voice preferences of this browser, for everybody who uses it, as stored. An invalid field gets its default. */
export const voicePreferences = z.object({
  tones: z.boolean().catch(true),
  tailMs: z.int().min(0).max(TAIL_MAX_MS).catch(TAIL_DEFAULT_MS),
  talkKey: talkKey.catch(DEFAULT_TALK_KEY),
  /** Empty for the browser's default. */
  microphoneId: z.string().max(200).catch(''),
  /** Empty for the browser's default. */
  loudspeakerId: z.string().max(200).catch(''),
  /** Empty for the browser's default. */
  cameraId: z.string().max(200).catch(''),
});

/** Voice preferences of one user in this browser; they don't affect other users [AUTH17]. */
export const ownVoicePreferences = z.object({
  /** Whether the user's own voice is played when it comes from another tab or device [TALK52]. */
  hearsOwnDevices: z.boolean().catch(false),
  /** Volumes of people by their id, 0..1; anybody not named has volume 1 [TALK56]. */
  volumes: z.record(z.string().max(64), z.number().min(0).max(1)).catch({}),
  /** Volume of all voices of a room [TALK125]; never 0, because silence is no lasting choice. */
  roomVolume: z.number().min(ROOM_VOLUME_MIN).max(1).catch(1),
  /** Whether the camera is on when the user enters the video view. */
  isCameraOn: z.boolean().catch(true),
});
export type VoicePreferences = z.infer<typeof voicePreferences> & z.infer<typeof ownVoicePreferences>;

/** Reads the preferences of this browser and its user. */
export const readPreferences = (storage: Pick<AppStorage, 'readPreference'>): VoicePreferences => ({
  ...DEFAULT_VOICE_PREFERENCES,
  ...storage.readPreference('voice', voicePreferences),
  ...storage.readPreference('ownVoice', ownVoicePreferences),
});

export function keepPreferences(storage: Pick<AppStorage, 'writePreference'>, preferences: VoicePreferences): void {
  storage.writePreference('voice', voicePreferences.parse(preferences));
  storage.writePreference('ownVoice', ownVoicePreferences.parse(preferences));
}

/** The loudspeaker of each storage; a page has only one storage. */
const loudspeakers = new WeakMap<object, Loudspeaker>();

/** The loudspeaker of this page, which its rooms, calls and rings share. */
export function loudspeakerOf(storage: Pick<AppStorage, 'readPreference'>): Loudspeaker {
  const known = loudspeakers.get(storage) ?? browserLoudspeaker(readPreferences(storage).loudspeakerId);
  loudspeakers.set(storage, known);
  return known;
}

/** Changed preferences, or a function that makes them from the stored ones: another tab may have changed those. */
export type PreferencesChange = Partial<VoicePreferences> | ((kept: VoicePreferences) => Partial<VoicePreferences>);

/** Maximum number of people whose volume a browser remembers; beyond that, the oldest settings are forgotten. */
const VOLUMES_MAX = 500;

/** Sets one person's volume. Full volume is not remembered. */
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
