import type { SoundDesk } from './platform.ts';

/** Speech is far below full scale, so the meter amplifies it by this factor. */
const METER_GAIN = 4;
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
): Pick<SoundDesk, 'meter' | 'close'> => {
  let context: AudioContext | null = null;
  let isClosed = false;
  let open = 0;

  const measure = (track: MediaStreamTrack) => {
    try {
      context ??= createContext('levels');
      return createMeter(context, track);
    } catch {
      context?.close().catch(() => undefined);
      context = null;
      context = createContext('levelsAsRecorded');
      return createMeter(context, track);
    }
  };

  return {
    meter(track) {
      if (isClosed) return { level: () => 0, close: () => undefined };
      const meter = measure(track);
      open += 1;
      // Pending where the browser waits for a gesture, and rejects when closed: the level is 0 meanwhile.
      context?.resume().catch(() => undefined);
      let isOpen = true;
      return {
        level: meter.level,
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

/** Reads the level of a track, 0..1, without playing it. */
const createMeter = (context: AudioContext, track: MediaStreamTrack) => {
  const source = new MediaStreamAudioSourceNode(context, { mediaStream: new MediaStream([track]) });
  const analyser = new AnalyserNode(context, { fftSize: 2 ** Math.ceil(Math.log2(context.sampleRate * COVERED_S)) });
  source.connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    level() {
      analyser.getFloatTimeDomainData(samples);
      let energy = 0;
      for (const sample of samples) energy += sample * sample;
      return Math.min(Math.sqrt(energy / samples.length) * METER_GAIN, 1);
    },
    close: () => source.disconnect(),
  };
};
