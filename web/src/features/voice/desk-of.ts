import type { Signalling } from './engine/types.ts';
import type { VoiceDesk } from './engine/voice-desk.ts';

/** By the link to the server, of which whoever is signed in has one. */
const desks = new WeakMap<Signalling, VoiceDesk>();

/** The desk of the rooms that somebody is in; undefined without any. */
export const deskOf = (signalling: Signalling): VoiceDesk | undefined => {
  const desk = desks.get(signalling);
  return desk?.isClosed() === false ? desk : undefined;
};

/** The desk that is there, or a new one. */
export function takeDesk(signalling: Signalling, open: () => VoiceDesk): VoiceDesk {
  const desk = deskOf(signalling) ?? open();
  desks.set(signalling, desk);
  return desk;
}
