import type { ParticipantId } from '@pressel/contract/ids';
import { createListeners } from '#src/shared/listeners.ts';
import { nameOfError } from './media-failure.ts';
import type { Platform, SoundDesk, SoundSink, Stop } from './platform.ts';

/** A new AudioContext takes a moment to start even after a gesture; it counts as blocked only after this time. */
const SETTLE_MS = 500;

/** Plays the remote tracks, one sink each, and mutes those that must not be heard. */
export interface Playback {
  /** Sets the track of a participant, replacing the previous one. Muted unless audible. */
  attach(id: ParticipantId, track: MediaStreamTrack): void;
  detach(id: ParticipantId): void;
  /** Unmutes exactly these participants. */
  setAudible(ids: ReadonlySet<ParticipantId>): void;
  /** How loud participants are, 0..1; those not named are at 1 [TALK56]. */
  setVolumes(volumes: ReadonlyMap<ParticipantId, number>): void;
  state(): 'running' | 'blocked';
  /** Starts blocked playback; call it within a user gesture. */
  unlock(): Promise<void>;
  subscribe(listener: () => void): Stop;
  close(): void;
}

/**
 * Gates by `enabled` of the received track: false mutes both elements and Web Audio at once; true restores sound
 * within 20 ms (measured in Chromium 156), and the jitter buffer keeps running meanwhile.
 */
export const createPlayback = (platform: Pick<Platform, 'clock' | 'createSink'>, desk: SoundDesk): Playback => {
  const listeners = createListeners();
  const voices = new Map<ParticipantId, { track: MediaStreamTrack; sink: SoundSink; isBlocked: boolean }>();
  let audible: ReadonlySet<ParticipantId> = new Set();
  let volumes: ReadonlyMap<ParticipantId, number> = new Map();
  let isClosed = false;
  let isSettled = false;
  let last = 'running';

  /** Whom this listener silenced is gated like whoever must not be heard. */
  const isHeard = (id: ParticipantId): boolean => audible.has(id) && volumes.get(id) !== 0;
  const gate = () => {
    for (const [id, { track }] of voices) track.enabled = isHeard(id);
  };

  const state = (): 'running' | 'blocked' =>
    (isSettled && desk.isBlocked()) || [...voices.values()].some((voice) => voice.isBlocked) ? 'blocked' : 'running';

  const tell = () => {
    const now = state();
    if (isClosed || now === last) return;
    last = now;
    listeners.tell();
  };

  const start = async (id: ParticipantId) => {
    const voice = voices.get(id);
    if (voice === undefined) return;
    try {
      await voice.sink.play();
      voice.isBlocked = false;
    } catch (error) {
      // Other errors, such as AbortError when a sink is closed while starting, don't concern the user.
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
      track.enabled = isHeard(id);
      const sink = platform.createSink(track);
      sink.setVolume(volumes.get(id) ?? 1);
      voices.set(id, { track, sink, isBlocked: false });
      void start(id);
    },
    detach,
    setAudible(ids) {
      audible = ids;
      gate();
    },
    setVolumes(next) {
      volumes = next;
      for (const [id, { sink }] of voices) sink.setVolume(volumes.get(id) ?? 1);
      gate();
    },
    state,
    async unlock() {
      // All calls synchronously: browsers accept the user gesture only for those.
      await Promise.all([desk.resume(), ...[...voices.keys()].map(start)]);
      tell();
    },
    subscribe: listeners.add,
    close() {
      if (isClosed) return;
      isClosed = true;
      stopDesk();
      cancelSettle();
      for (const id of [...voices.keys()]) detach(id);
    },
  };
};
