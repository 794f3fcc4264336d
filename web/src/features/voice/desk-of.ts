import { browserDeps } from './engine/browser-deps.ts';
import type { Loudspeaker } from './engine/playback.ts';
import type { Signalling } from './engine/types.ts';
import { createVoiceDesk, type VoiceDesk, type VoiceDeskDeps } from './engine/voice-desk.ts';

/** By the link to the server, of which whoever is signed in has one. */
const desks = new WeakMap<Signalling, VoiceDesk>();

/** The page's desk, for rooms and calls: the one that is open, or a new one. */
export function takeDesk(
  signalling: Signalling,
  loudspeaker: Loudspeaker,
  preferences: VoiceDeskDeps['preferences'],
): VoiceDesk {
  const known = desks.get(signalling);
  if (known?.isClosed() === false) return known;
  const desk = createVoiceDesk({ signalling, platform: browserDeps(loudspeaker), preferences });
  desks.set(signalling, desk);
  return desk;
}
