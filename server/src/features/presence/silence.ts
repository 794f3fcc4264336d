import { BEAT_SILENCE_MS, FLOOR_BUSY_MS } from '@pressel/contract/limits';
import type { Socket, Sockets, Stay } from '#src/platform/sockets.ts';
import type { PhotoPaths } from '#src/shared/photo-paths.ts';
import type { PingBrowser } from '#src/shared/sign-of-life.ts';
import { participantAs, tellOfParticipant } from './names.ts';

/** With BEAT_SILENCE_MS less than 3 s. */
export const SILENCE_SWEEP_MS = 500;
/** Since the last sweep: longer than this, and the process stood still. */
const SWEEP_LATE_MS = 2 * SILENCE_SWEEP_MS;
/** Without a beat for this long a browser is asked: whenever the sweeps fall, twice, and the first time a second before it counts. */
const DOUBT_MS = BEAT_SILENCE_MS - 2 * SILENCE_SWEEP_MS;

export interface SilenceDeps {
  sockets: Pick<Sockets, 'all' | 'to'>;
  photos: Pick<PhotoPaths, 'urlOf'>;
  pingBrowser: PingBrowser;
  /** The clock that beats are noted by: monotonic, ms. */
  now: () => number;
}

/**
 * Tells rooms whose beats stay away, and whose are back [PRES27]. Call it every SILENCE_SWEEP_MS: one look at all sockets
 * costs less than a timer for each, which every beat would have to set anew.
 */
export function createSilenceSweep({ sockets, photos, pingBrowser, now }: SilenceDeps): () => void {
  let sweptAt = now();
  /** When the process last stood still until then: beats of that time may not be read yet. */
  let stoodUntil = sweptAt;
  /** When the browser last answered for its page. */
  const answeredAt = new WeakMap<Stay, number>();

  /** Until when somebody counts as there whose last beat was then. */
  const thereUntil = (stay: Stay, beatAt: number): number => {
    const answered = answeredAt.get(stay) ?? beatAt;
    return Math.max(beatAt + BEAT_SILENCE_MS, Math.min(answered + BEAT_SILENCE_MS, beatAt + FLOOR_BUSY_MS));
  };
  const isSilent = (stay: Stay, time: number): boolean => {
    if (stay.beatAt === null) return false;
    // Only a beat ends a silence: a browser that answers late, after its link stood still, still has a page that does nothing.
    if (stay.isSilent) return time - stay.beatAt >= BEAT_SILENCE_MS;
    return time >= thereUntil(stay, Math.max(stay.beatAt, stoodUntil));
  };
  const askIfInDoubt = (socket: Socket, stay: Stay, time: number): void => {
    if (stay.beatAt === null || stay.isSilent || time - Math.max(stay.beatAt, stoodUntil) < DOUBT_MS) return;
    pingBrowser(socket, () => void answeredAt.set(stay, now()));
  };

  return () => {
    const time = now();
    if (time - sweptAt > SWEEP_LATE_MS) stoodUntil = time;
    sweptAt = time;
    for (const socket of sockets.all()) {
      const { channel } = socket.data;
      if (channel === null) continue;
      if (isSilent(channel, time) !== channel.isSilent) {
        channel.isSilent = !channel.isSilent;
        tellOfParticipant(sockets, channel.id, 'participant_changed', participantAs(socket, photos));
      }
      askIfInDoubt(socket, channel, time);
    }
  };
}
