import { browserDeps } from './browser-deps.ts';
import type { Loudspeaker } from './platform.ts';
import type { Signalling } from './types.ts';
import { createVoiceEngine, type VoiceEngine, type VoiceEngineDeps } from './voice-engine.ts';

/** The engine of each link to the server; a signed-in user has only one link. */
const engines = new WeakMap<Signalling, VoiceEngine>();

/** Returns the page's voice engine for rooms and calls: the open one, or a new one. */
export function pageVoiceEngine(
  signalling: Signalling,
  loudspeaker: Loudspeaker,
  preferences: VoiceEngineDeps['preferences'],
): VoiceEngine {
  const known = engines.get(signalling);
  if (known?.isClosed() === false) return known;
  const engine = createVoiceEngine({ signalling, platform: browserDeps(loudspeaker), preferences });
  engines.set(signalling, engine);
  return engine;
}
