import type { RoomSession } from '#src/features/voice/engine/room-types.ts';
import { isFinal, type RoomSnapshot } from '#src/features/voice/engine/types.ts';
import type { Attention } from '#src/shared/renewal.ts';

/**
 * Tells what a reload would interrupt in a room [APP15]. A user who hears nothing anyway loses nothing by a reload. If the
 * microphone is not open or the page is hidden, the browser might hold back the sound afterwards, with nobody there to
 * allow it.
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

/** Whether the user has pressed, and somebody may still hear it. */
const isAtIt = ({ talk }: RoomSnapshot): boolean => talk.state !== 'idle' && talk.state !== 'unheard';
