import * as z from 'zod';
import { DEFAULT_TALK_KEY, keyConflict } from './talk-key.ts';

/** The longest tail that can be chosen, ms. The engine takes more; nobody's last word is longer than this. */
export const TAIL_MAX_MS = 500;
export const TAIL_STEP_MS = 50;
export const TAIL_DEFAULT_MS = 200;

const talkKey = z
  .object({ code: z.string().min(1).max(40), label: z.string().max(8) })
  .refine((key) => keyConflict(key.code) !== 'reserved');

/** How this browser's user likes to talk, as kept in its storage. A field that can't be read has its default. */
export const voicePreferences = z.object({
  tones: z.boolean().catch(true),
  tailMs: z.int().min(0).max(TAIL_MAX_MS).catch(TAIL_DEFAULT_MS),
  talkKey: talkKey.catch(DEFAULT_TALK_KEY),
  /** Empty: whichever the browser gives. */
  microphoneId: z.string().max(200).catch(''),
});
export type VoicePreferences = z.infer<typeof voicePreferences>;

export const DEFAULT_VOICE_PREFERENCES: VoicePreferences = {
  tones: true,
  tailMs: TAIL_DEFAULT_MS,
  talkKey: DEFAULT_TALK_KEY,
  microphoneId: '',
};
