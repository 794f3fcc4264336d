import type { Meter, SoundDesk } from './platform.ts';

/** What one reading covers: the screen's pause between two. */
const COVERED_S = 0.125;

/** `levels` has a low rate of its own; Firefox takes tracks at the rate of their device alone: `levelsAsRecorded`. */
export type MeterContext = 'levels' | 'levelsAsRecorded';

/**
 * Measures local tracks without playing them, in a context of their own: that of the tones, with its short blocks and its
 * output, costs several times as much for as long as one talks [TALK91]. Made with the first meter, asleep without any.
 */
export const createTrackMeters = (
  createContext: (use: MeterContext) => AudioContext,
): Pick<SoundDesk, 'meter' | 'close'> & { prepare(): void } => {
  let context: AudioContext | null = null;
  let isClosed = false;
  let open = 0;

  const drop = () => {
    context?.close().catch(() => undefined);
    context = null;
  };
  /** Makes the context if there is none. It throws where the browser can't. */
  const take = (use: MeterContext): AudioContext => {
    context ??= createContext(use);
    return context;
  };
  /** Null where neither works, as for a track whose rate is not that of the device that plays (Firefox). */
  const measure = (track: MediaStreamTrack): Meter | null => {
    for (const use of ['levels', 'levelsAsRecorded'] as const) {
      try {
        return createMeter(take(use), track);
      } catch {
        drop();
      }
    }
    return null;
  };

  return {
    prepare() {
      if (context !== null) return;
      try {
        // Browsers start a new context by themselves.
        take('levels')
          .suspend()
          .catch(() => undefined);
      } catch {
        // It is tried again, and in another way, with the first meter.
      }
    },
    meter(track) {
      const meter = isClosed ? null : measure(track);
      if (meter === null) return { read: () => null, close: () => undefined };
      open += 1;
      // Pending where the browser waits for a gesture, and rejects when closed: the level is 0 meanwhile.
      context?.resume().catch(() => undefined);
      let isOpen = true;
      return {
        read: meter.read,
        close() {
          if (!isOpen) return;
          isOpen = false;
          meter.close();
          open -= 1;
          if (open === 0 && !isClosed) context?.suspend().catch(() => undefined);
        },
      };
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      context?.close().catch(() => undefined);
    },
  };
};

const createMeter = (context: AudioContext, track: MediaStreamTrack): Meter => {
  const source = new MediaStreamAudioSourceNode(context, { mediaStream: new MediaStream([track]) });
  const analyser = new AnalyserNode(context, { fftSize: 2 ** Math.ceil(Math.log2(context.sampleRate * COVERED_S)) });
  source.connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    read() {
      if (context.state !== 'running') return null;
      analyser.getFloatTimeDomainData(samples);
      let energy = 0;
      for (const sample of samples) energy += sample * sample;
      return { rms: Math.sqrt(energy / samples.length), at: context.currentTime };
    },
    close: () => source.disconnect(),
  };
};
