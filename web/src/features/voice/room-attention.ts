import type { Attention } from '#src/shared/renewal.ts';
import type { RoomSession, RoomSnapshot } from './engine/types.ts';
import { isFinal } from './final-status.ts';

/**
 * What the user is at in a room [APP15]. Whoever hears nothing anyway loses nothing by a reload. Where the microphone is not open or the page is out of
 * sight, the browser might hold back the sound afterwards, with nobody there to allow it.
 */
export function roomAttention(room: Pick<RoomSession, 'getSnapshot' | 'video'>, isHidden: boolean): Attention {
  const snapshot = room.getSnapshot();
  const pictures = room.video?.getSnapshot();
  const isShowing = pictures !== undefined && (pictures.own !== null || pictures.screen === 'asking');
  if (isFinal(snapshot.status)) return 'none';
  if (isShowing || isAtIt(snapshot)) return 'working';
  const isOccupied =
    snapshot.talkers.length > 0 || snapshot.participants.some(({ queuePosition }) => queuePosition > 0);
  const mayFallSilent = snapshot.playback === 'running' && (isHidden || snapshot.microphone.state !== 'ready');
  return isOccupied || mayFallSilent || snapshot.missed !== null ? 'listening' : 'none';
}

/** Has pressed, and somebody may hear it still. */
const isAtIt = ({ talk }: RoomSnapshot): boolean => talk.state !== 'idle' && talk.state !== 'unheard';
