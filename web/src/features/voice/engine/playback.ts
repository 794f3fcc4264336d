import type { ParticipantId } from '@pressel/contract/ids';
import { nameOfError } from './media-failure.ts';
import { createNotifier } from './notifier.ts';
import type { Platform, SoundDesk, SoundSink, Stop } from './platform.ts';

/** A desk that was just made needs a moment to run, gesture or not: only then does it count as blocked. */
export const SETTLE_MS = 500;

/** Plays the voices of the others, each by a sink of its own, and gates what is heard. */
export interface Playback {
  /** The sound of a participant from now on; replaces the one before. Silent unless audible. */
  attach(id: ParticipantId, track: MediaStreamTrack): void;
  detach(id: ParticipantId): void;
  /** Exactly these are heard. */
  setAudible(ids: ReadonlySet<ParticipantId>): void;
  state(): 'running' | 'blocked';
  /** Call within a gesture of the user. */
  unlock(): Promise<void>;
  subscribe(listener: () => void): Stop;
  close(): void;
}

/**
 * The gate is `enabled` of the received track: false is silence for elements and for Web Audio alike, at once, and
 * true is sound again within 20 ms (seen in Chromium 156), while the jitter buffer below stays in step.
 */
export const createPlayback = (platform: Pick<Platform, 'clock' | 'createSink'>, desk: SoundDesk): Playback => {
  const notifier = createNotifier();
  const voices = new Map<ParticipantId, { track: MediaStreamTrack; sink: SoundSink; isBlocked: boolean }>();
  let audible: ReadonlySet<ParticipantId> = new Set();
  let isClosed = false;
  let isSettled = false;
  let last = 'running';

  const state = (): 'running' | 'blocked' =>
    (isSettled && !desk.isRunning()) || [...voices.values()].some((voice) => voice.isBlocked) ? 'blocked' : 'running';

  const tell = () => {
    const now = state();
    if (isClosed || now === last) return;
    last = now;
    notifier.notify();
  };

  const start = async (id: ParticipantId) => {
    const voice = voices.get(id);
    if (voice === undefined) return;
    try {
      await voice.sink.play();
      voice.isBlocked = false;
    } catch (error) {
      // AbortError and the like come when a sink is closed while it starts: no matter for the user.
      voice.isBlocked = nameOfError(error) === 'NotAllowedError';
    }
    if (voices.get(id) === voice) tell();
  };

  const detach = (id: ParticipantId) => {
    const voice = voices.get(id);
    if (voice === undefined) return;
    voices.delete(id);
    voice.track.enabled = false;
    voice.sink.close();
    tell();
  };

  const stopDesk = desk.onStateChanged(tell);
  const cancelSettle = platform.clock.after(SETTLE_MS, () => {
    isSettled = true;
    tell();
  });

  return {
    attach(id, track) {
      if (isClosed) return;
      detach(id);
      track.enabled = audible.has(id);
      voices.set(id, { track, sink: platform.createSink(track), isBlocked: false });
      void start(id);
    },
    detach,
    setAudible(ids) {
      audible = ids;
      for (const [id, { track }] of voices) track.enabled = ids.has(id);
    },
    state,
    async unlock() {
      // Not one after the other: browsers honour the gesture only for calls made at once.
      await Promise.all([desk.resume(), ...[...voices.keys()].map(start)]);
      tell();
    },
    subscribe: notifier.subscribe,
    close() {
      if (isClosed) return;
      isClosed = true;
      stopDesk();
      cancelSettle();
      for (const id of [...voices.keys()]) detach(id);
    },
  };
};
