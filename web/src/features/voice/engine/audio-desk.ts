import type { SoundDesk } from './platform.ts';

/** Speech is far below full scale, so the meter amplifies it by this factor. */
const METER_GAIN = 4;
/** Attack and release of each note, to avoid clicks. */
const RAMP_S = 0.006;

const RESUME_PATIENCE_MS = 1_000;

/** SoundDesk over a real AudioContext. */
export const createAudioDesk = (createContext: () => AudioContext): SoundDesk => {
  const context = createContext();
  let isClosed = false;

  return {
    isRunning: () => context.state === 'running',
    async resume() {
      if (isClosed || context.state === 'running') return;
      // Without a user gesture browsers leave resume() pending indefinitely.
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, RESUME_PATIENCE_MS));
      await Promise.race([context.resume().catch(() => undefined), timeout]);
    },
    onStateChanged(handler) {
      context.addEventListener('statechange', handler);
      return () => context.removeEventListener('statechange', handler);
    },
    play(notes) {
      // A suspended context queues notes and would play all of them when it is resumed.
      if (isClosed || context.state !== 'running') return;
      let at = context.currentTime;
      for (const { hertz, ms, gain } of notes) {
        const end = at + ms / 1000;
        const source = new OscillatorNode(context, { frequency: hertz });
        const volume = new GainNode(context, { gain: 0 });
        volume.gain.setValueAtTime(0, at);
        volume.gain.linearRampToValueAtTime(gain, at + RAMP_S);
        volume.gain.setValueAtTime(gain, end - RAMP_S);
        volume.gain.linearRampToValueAtTime(0, end);
        source.connect(volume).connect(context.destination);
        source.start(at);
        source.stop(end);
        at = end;
      }
    },
    meter(track) {
      if (isClosed) return { level: () => 0, close: () => undefined };
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
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      // Rejects only when already closed.
      context.close().catch(() => undefined);
    },
  };
};
