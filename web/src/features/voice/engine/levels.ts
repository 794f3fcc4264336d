import type { Microphone } from './microphone.ts';
import type { Clock, Meter, MeterReading, Stop, WebAudio } from './platform.ts';
import type { TalkState } from './types.ts';

/** A meter that nobody has read for this long is closed. Longer than the screen's pause between two readings. */
export const UNREAD_MS = 1_000;
/** Speech is far below full scale, so the displayed level is amplified by this factor. */
const LEVEL_GAIN = 4;

/** Reads the own microphone, even after a change of device. Measures only while it is read [TALK91]. */
export const createOwnLevel = (
  webAudio: Pick<WebAudio, 'meter'>,
  microphone: Pick<Microphone, 'track'>,
  clock: Clock,
) => {
  let measured: MediaStreamTrack | null = null;
  let meter: Meter | null = null;
  let cancel: Stop = () => undefined;

  const close = () => {
    cancel();
    meter?.close();
    meter = null;
    measured = null;
  };

  const read = (): MeterReading | null => {
    const track = microphone.track();
    if (track !== measured) {
      close();
      measured = track;
      meter = track === null ? null : webAudio.meter(track);
    }
    cancel();
    cancel = clock.after(UNREAD_MS, close);
    return meter?.read() ?? null;
  };

  return {
    /** The displayed level, 0..1. */
    level: (): number => Math.min((read()?.rms ?? 0) * LEVEL_GAIN, 1),
    read,
    close,
  };
};

/** Time that one reading covers: the screen's pause between two readings. */
const COVERED_S = 0.125;

/** `levels` has its own low sample rate; Firefox accepts tracks only at their device's rate: `levelsAsRecorded`. */
export type MeterContext = 'levels' | 'levelsAsRecorded';

/**
 * Measures local tracks without playing them, in a separate context. The tones' context has short blocks and an output,
 * and would cost several times as much during a talk [TALK91]. The first meter makes the context; without meters it
 * sleeps.
 */
export const createTrackMeters = (
  createContext: (use: MeterContext) => AudioContext,
): Pick<WebAudio, 'meter'> & { prepare(): void } => {
  let context: AudioContext | null = null;
  let open = 0;

  const drop = () => {
    context?.close().catch(() => undefined);
    context = null;
  };
  /** Makes the context if there is none. Throws where the browser can't. */
  const take = (use: MeterContext): AudioContext => {
    context ??= createContext(use);
    return context;
  };
  /** Returns null where neither context works, as for a track whose rate is not the output device's rate (Firefox). */
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
        // The first meter tries again, and in another way.
      }
    },
    meter(track) {
      const meter = measure(track);
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
          if (open === 0) context?.suspend().catch(() => undefined);
        },
      };
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

/** A talk is soundless if the microphone delivered nothing at all for this long after the grant [TALK122]. */
export const SOUNDLESS_AFTER_MS = 2_000;
/**
 * Anything quieter counts as no sound: root mean square, of full scale. Measured behind echo cancelling, noise
 * suppression and gain control, in Chromium 156 and Firefox ESR 153. The quietest signal tried (one sample in a
 * thousand differs by one step of 16 bits) leaves 1.2e-7 and 2.4e-7. A room at -96 dB leaves 3e-6 and 8e-6, and a dead
 * microphone 0. After real sound the filters fade out below this in half a second, but reach 0 only after 3 s. A
 * sender's statistics are too coarse: they give a quiet room level 0.
 */
export const SOUND_FLOOR = 1e-8;
const LOOK_EVERY_MS = 250;
/** Share of the observed time that must have been measured: a running context may still stand still. */
const MEASURED_SHARE = 0.5;

export interface SoundCheckDeps {
  clock: Clock;
  /** The current reading of the own microphone; null if unknown. */
  read(): MeterReading | null;
  onChange(isSoundless: boolean): void;
}

/** Finds out whether a talk is silent, until its first sound. */
export const createSoundCheck = ({ clock, read, onChange }: SoundCheckDeps) => {
  /** `since` of the last talk that was checked. */
  let talk: number | null = null;
  let isSoundless = false;
  let silence: { since: number; at: number } | null = null;
  let cancel: Stop = () => undefined;

  const tell = (next: boolean) => {
    if (next === isSoundless) return;
    isSoundless = next;
    onChange(next);
  };

  const look = () => {
    const reading = read();
    if (reading !== null && reading.rms >= SOUND_FLOOR) {
      tell(false);
      return;
    }
    cancel = clock.after(LOOK_EVERY_MS, look);
    if (reading === null) {
      silence = null;
      return;
    }
    silence ??= { since: clock.now(), at: reading.at };
    const past = clock.now() - silence.since;
    const measured = (reading.at - silence.at) * 1_000;
    if (past >= SOUNDLESS_AFTER_MS && measured >= past * MEASURED_SHARE) tell(true);
  };

  return {
    isSoundless: () => isSoundless,
    /** Call at each change. A talk that continues within its tail stays the same talk. */
    follow(state: TalkState) {
      if (state.state === 'ending') return;
      const next = state.state === 'talking' ? state.since : null;
      if (next === talk) return;
      talk = next;
      silence = null;
      cancel();
      tell(false);
      if (next !== null) look();
    },
    close: () => cancel(),
  };
};
