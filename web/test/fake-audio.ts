import type { SoundSink, WebAudio } from '#src/features/voice/engine/platform.ts';

export interface FakeAudio {
  webAudio: WebAudio;
  /** The tones played, each as its notes: 'hertz,hertz'. */
  readonly tones: string[];
  /** Tracks that sinks are playing. */
  readonly playing: Set<MediaStreamTrack>;
  /** The volume of each of them. */
  readonly volumes: Map<MediaStreamTrack, number>;
  /** Autoplay is blocked: sinks and tones start only within a user gesture. */
  isBlocked: boolean;
  createSink(track: MediaStreamTrack): SoundSink;
  setRunning(running: boolean): void;
  /** The loudness that meters read of an open microphone, rms of full scale. */
  loudness: number;
  /** False: the browser measures nothing. */
  isMeasuring: boolean;
  /** Called when the contexts are made or woken. */
  onWork(what: 'prepare' | 'wake'): void;
  /** The seconds of sound that were measured so far. */
  measured(): number;
}

/** Fake audio output that records what is played. */
export const createFakeAudio = (): FakeAudio => {
  const listeners = new Set<() => void>();
  let isRunning = true;
  const fake: FakeAudio = {
    tones: [],
    playing: new Set(),
    volumes: new Map(),
    isBlocked: false,
    loudness: 0.125,
    isMeasuring: true,
    onWork: () => undefined,
    measured: () => 0,
    createSink: (track) => ({
      async play() {
        if (fake.isBlocked) throw new DOMException('no gesture yet', 'NotAllowedError');
        fake.playing.add(track);
      },
      setVolume: (volume) => {
        fake.volumes.set(track, volume);
      },
      close: () => {
        fake.playing.delete(track);
        fake.volumes.delete(track);
      },
    }),
    setRunning(running) {
      isRunning = running;
      for (const listener of [...listeners]) listener();
    },
    webAudio: {
      isBlocked: () => !isRunning,
      prepare: () => fake.onWork('prepare'),
      wake: () => fake.onWork('wake'),
      async resume() {
        if (!fake.isBlocked) fake.setRunning(true);
      },
      onStateChanged(handler) {
        listeners.add(handler);
        return () => listeners.delete(handler);
      },
      play: (notes) => {
        fake.tones.push(notes.map(({ hertz }) => hertz).join());
      },
      meter: (track) => ({
        read: () => (fake.isMeasuring ? { rms: track.enabled ? fake.loudness : 0, at: fake.measured() } : null),
        close: () => undefined,
      }),
    },
  };
  return fake;
};
