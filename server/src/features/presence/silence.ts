import { BEAT_SILENCE_MS } from '@pressel/contract/limits';
import { audience, type Sockets, type Stay } from '#src/platform/sockets.ts';
import type { PhotoPaths } from '#src/shared/photo-paths.ts';
import { participantAs } from './names.ts';

/** With BEAT_SILENCE_MS less than 3 s. */
export const SILENCE_SWEEP_MS = 500;
/** Since the last sweep: longer than this, and the process stood still. */
const SWEEP_LATE_MS = 2 * SILENCE_SWEEP_MS;

export interface SilenceDeps {
  sockets: Pick<Sockets, 'all' | 'to'>;
  photos: Pick<PhotoPaths, 'urlOf'>;
  /** The clock that beats are noted by: monotonic, ms. */
  now: () => number;
}

/**
 * Tells rooms whose beats stay away, and whose are back [PRES27]. Call it every SILENCE_SWEEP_MS: one look at all sockets
 * costs less than a timer for each, which every beat would have to set anew.
 */
export function createSilenceSweep({ sockets, photos, now }: SilenceDeps): () => void {
  let sweptAt = now();
  /** When the process last stood still until then: beats of that time may not be read yet. */
  let stoodUntil = sweptAt;

  const isSilent = ({ beatAt, isSilent }: Stay, time: number): boolean => {
    if (beatAt === null) return false;
    return time - (isSilent ? beatAt : Math.max(beatAt, stoodUntil)) >= BEAT_SILENCE_MS;
  };

  return () => {
    const time = now();
    if (time - sweptAt > SWEEP_LATE_MS) stoodUntil = time;
    sweptAt = time;
    for (const socket of sockets.all()) {
      const { channel } = socket.data;
      if (channel === null || isSilent(channel, time) === channel.isSilent) continue;
      channel.isSilent = !channel.isSilent;
      sockets.to(audience.everyoneIn(channel.id)).emit('participant_changed', participantAs(socket, photos));
    }
  };
}
