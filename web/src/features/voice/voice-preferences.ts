import { z } from '@pressel/contract/zod';
import { DEFAULT_TALK_KEY, keyConflict } from './talk-key.ts';

/** Maximum tail in the settings, ms; longer than anyone's last word. The engine accepts up to 1000. */
export const TAIL_MAX_MS = 500;
export const TAIL_STEP_MS = 50;
export const TAIL_DEFAULT_MS = 200;

const talkKey = z
  .object({ code: z.string().min(1).max(40), label: z.string().max(8) })
  .refine((key) => keyConflict(key.code) !== 'reserved');

/** Voice preferences of this browser, as stored. An invalid field gets its default. */
export const voicePreferences = z.object({
  tones: z.boolean().catch(true),
  tailMs: z.int().min(0).max(TAIL_MAX_MS).catch(TAIL_DEFAULT_MS),
  talkKey: talkKey.catch(DEFAULT_TALK_KEY),
  /** Whether one's own voice is played when it comes from another tab or device [TALK52]. */
  hearsOwnDevices: z.boolean().catch(false),
  /** Empty: the browser's default. */
  microphoneId: z.string().max(200).catch(''),
});
export type VoicePreferences = z.infer<typeof voicePreferences>;

export const DEFAULT_VOICE_PREFERENCES: VoicePreferences = {
  tones: true,
  tailMs: TAIL_DEFAULT_MS,
  talkKey: DEFAULT_TALK_KEY,
  hearsOwnDevices: false,
  microphoneId: '',
};
