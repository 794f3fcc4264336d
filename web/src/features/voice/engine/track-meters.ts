import type { SoundDesk } from './platform.ts';

/** Speech is far below full scale, so the meter amplifies it by this factor. */
const METER_GAIN = 4;

/**
 * Measures local tracks without playing them, in a context of their own: that of the tones, with its short blocks and its
 * output, costs several times as much for as long as one talks [TALK91]. Made with the first meter, asleep without any.
 */
export const createTrackMeters = (createContext: () => AudioContext): Pick<SoundDesk, 'meter' | 'close'> => {
  let context: AudioContext | null = null;
  let isClosed = false;
  let open = 0;

  return {
    meter(track) {
      if (isClosed) return { level: () => 0, close: () => undefined };
      context ??= createContext();
      open += 1;
      // Pending where the browser waits for a gesture, and rejects when closed: the level is 0 meanwhile.
      context.resume().catch(() => undefined);
      const meter = createMeter(context, track);
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
  const analyser = new AnalyserNode(context, { fftSize: 512 });
  source.connect(analyser);
  const samples = new Float32Array(analyser.fftSize);
  return {
    level() {
      analyser.getFloatTimeDomainData(samples);
      const energy = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      return Math.min(Math.sqrt(energy) * METER_GAIN, 1);
    },
    close: () => source.disconnect(),
  };
};
