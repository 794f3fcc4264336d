import type { ParticipantId } from '@pressel/contract/ids';
import { createListeners } from '#src/shared/listeners.ts';
import { nameOfError } from './microphone.ts';
import type { Loudspeaker, LoudspeakerState, OutputAccess, Platform, SoundSink, Stop } from './platform.ts';

/** A new AudioContext takes a moment to start even after a gesture; it counts as blocked only after this time. */
const SETTLE_MS = 500;

/** Plays the remote tracks of a page, one sink each. */
export interface Playback {
  /** Opens a group of voices with its own rule of who is heard: the voices of all rooms, or of a call. */
  openVoices(): Voices;
  state(): 'running' | 'blocked';
  /** Starts blocked playback. Needs a user gesture. */
  unlock(): Promise<void>;
  subscribe(listener: () => void): Stop;
  close(): void;
}

/** The voices of one mesh. Participants who must not be heard are muted. */
export interface Voices {
  /** Sets the track of a participant, replacing the previous one. Muted unless audible. */
  attach(id: ParticipantId, track: MediaStreamTrack): void;
  detach(id: ParticipantId): void;
  /** Unmutes exactly these participants. */
  setAudible(ids: ReadonlySet<ParticipantId>): void;
  /** Sets the volumes of participants, 0..1; anybody not named has volume 1 [TALK56]. */
  setVolumes(volumes: ReadonlyMap<ParticipantId, number>): void;
  close(): void;
}

interface Voice {
  track: MediaStreamTrack;
  sink: SoundSink;
  isBlocked: boolean;
}

export const createPlayback = (platform: Pick<Platform, 'clock' | 'createSink' | 'sound'>): Playback => {
  const { clock, sound, createSink } = platform;
  const listeners = createListeners();
  const playing = new Set<Voice>();
  let isClosed = false;
  let isSettled = false;
  let last = 'running';

  const state = (): 'running' | 'blocked' =>
    (isSettled && sound.isBlocked()) || [...playing].some((voice) => voice.isBlocked) ? 'blocked' : 'running';

  const tell = () => {
    const now = state();
    if (isClosed || now === last) return;
    last = now;
    listeners.notify();
  };

  const start = async (voice: Voice) => {
    try {
      await voice.sink.play();
      voice.isBlocked = false;
    } catch (error) {
      // Other errors, such as AbortError when a sink is closed while starting, don't concern the user.
      voice.isBlocked = nameOfError(error) === 'NotAllowedError';
    }
    if (playing.has(voice)) tell();
  };
  const play = (track: MediaStreamTrack, volume: number): Voice => {
    const voice = { track, sink: createSink(track), isBlocked: false };
    voice.sink.setVolume(volume);
    playing.add(voice);
    void start(voice);
    return voice;
  };
  const end = (voice: Voice) => {
    if (!playing.delete(voice)) return;
    voice.track.enabled = false;
    voice.sink.close();
    tell();
  };

  const stopSound = sound.onStateChanged(tell);
  const cancelSettle = clock.after(SETTLE_MS, () => {
    isSettled = true;
    tell();
  });

  return {
    openVoices: () => createVoices(play, end),
    state,
    async unlock() {
      // All calls are synchronous: browsers accept the user gesture only for those.
      await Promise.all([sound.resume(), ...[...playing].map(start)]);
      tell();
    },
    subscribe: listeners.add,
    close() {
      if (isClosed) return;
      isClosed = true;
      stopSound();
      cancelSettle();
      for (const voice of playing) end(voice);
    },
  };
};

/**
 * Mutes with `enabled` of the received track: false mutes elements and Web Audio at once; true restores sound within 20
 * ms (measured in Chromium 156). The jitter buffer keeps running meanwhile.
 */
const createVoices = (
  play: (track: MediaStreamTrack, volume: number) => Voice,
  end: (voice: Voice) => void,
): Voices => {
  const voices = new Map<ParticipantId, Voice>();
  let audible: ReadonlySet<ParticipantId> = new Set();
  let volumes: ReadonlyMap<ParticipantId, number> = new Map();
  let isClosed = false;

  /** A participant whom this listener silenced is muted like one who must not be heard. */
  const isHeard = (id: ParticipantId): boolean => audible.has(id) && volumes.get(id) !== 0;
  const volumeOf = (id: ParticipantId): number => volumes.get(id) ?? 1;
  const gate = () => {
    for (const [id, { track }] of voices) track.enabled = isHeard(id);
  };
  const detach = (id: ParticipantId) => {
    const voice = voices.get(id);
    voices.delete(id);
    if (voice !== undefined) end(voice);
  };

  return {
    attach(id, track) {
      if (isClosed) return;
      detach(id);
      track.enabled = isHeard(id);
      voices.set(id, play(track, volumeOf(id)));
    },
    detach,
    setAudible(ids) {
      audible = ids;
      gate();
    },
    setVolumes(next) {
      volumes = next;
      for (const [id, { sink }] of voices) sink.setVolume(volumeOf(id));
      gate();
    },
    close() {
      isClosed = true;
      for (const id of [...voices.keys()]) detach(id);
    },
  };
};

/** Makes a loudspeaker that lives as long as the page. */
export const createLoudspeaker = (access: OutputAccess, chosenId: string): Loudspeaker => {
  const listeners = createListeners();
  let state: LoudspeakerState = { chosenId, choices: [], isGone: false };
  let isRefused = false;

  const isListed = () => state.choices.some(({ deviceId }) => deviceId === state.chosenId);
  // A browser that lists nothing may still know the device: it is tried.
  const isMissing = () => state.chosenId !== '' && (isRefused || (state.choices.length > 0 && !isListed()));

  const sinkId = () => (isMissing() ? '' : state.chosenId);

  /** `wasAt`: the previous output device. */
  const set = (change: Partial<LoudspeakerState>, wasAt: string) => {
    const before = state;
    state = { ...state, ...change };
    // Without a list nobody knows whether the device is gone: browsers hide devices before the microphone is allowed.
    state = { ...state, isGone: isMissing() && state.choices.length > 0 };
    if (sinkId() === wasAt && JSON.stringify(state) === JSON.stringify(before)) state = before;
    else listeners.notify();
  };

  const look = async () => {
    try {
      const choices = (await access.list()).map(({ deviceId, label }) => ({ deviceId, label }));
      const wasAt = sinkId();
      isRefused = false;
      set({ choices }, wasAt);
    } catch {
      // The previous choice stays.
    }
  };

  const choose = (deviceId: string) => {
    const wasAt = sinkId();
    isRefused = false;
    set({ chosenId: deviceId }, wasAt);
  };

  const { ask } = access;
  if (access.canChoose) {
    access.onDevicesChanged(() => void look());
    void look();
  }

  return {
    getSnapshot: () => state,
    subscribe: listeners.add,
    canChoose: access.canChoose,
    choose,
    ask:
      ask &&
      (async () => {
        const deviceId = await ask();
        if (deviceId === null) return;
        choose(deviceId);
        await look();
      }),
    sinkId,
    refuse(id) {
      if (id === '' || id !== sinkId()) return;
      isRefused = true;
      set({}, id);
    },
    look: () => {
      if (!access.canChoose) return;
      // The browser may play there now, and says so before it lists anything.
      choose(state.chosenId);
      void look();
    },
  };
};

/** A playing element or context. `setSinkId` is absent where the browser only plays on its default device. */
export interface Output {
  readonly sinkId?: unknown;
  setSinkId?(sinkId: string): Promise<unknown>;
}

/** Keeps an output on the loudspeaker. Returns the function that stops that. */
export const followLoudspeaker = (output: Output, loudspeaker: Loudspeaker): Stop => {
  let current = '';
  let isOver = false;
  const follow = async () => {
    const next = loudspeaker.sinkId();
    if (output.setSinkId === undefined || next === current) return;
    current = next;
    try {
      await output.setSinkId(next);
    } catch {
      // An output that was closed meanwhile is refused too, which says nothing about the device.
      if (!isOver && current === next) loudspeaker.refuse(next);
    }
  };
  const stop = loudspeaker.subscribe(() => void follow());
  void follow();
  return () => {
    isOver = true;
    stop();
  };
};
