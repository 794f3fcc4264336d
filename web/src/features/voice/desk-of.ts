import { browserDeps } from './engine/browser-deps.ts';
import type { Loudspeaker } from './engine/platform.ts';
import type { Signalling } from './engine/types.ts';
import { createVoiceDesk, type VoiceDesk, type VoiceDeskDeps } from './engine/voice-desk.ts';

/** The desk of each link to the server; a signed-in user has only one link. */
const desks = new WeakMap<Signalling, VoiceDesk>();

/** Returns the page's desk for rooms and calls: the open one, or a new one. */
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
