import type { Microphone } from './microphone.ts';
import type { Clock, Meter, MeterReading, SoundDesk, Stop } from './platform.ts';
import type { TalkState } from './types.ts';

/** A meter that nobody read for this long is closed. Longer than the screen's pause between two readings. */
export const UNREAD_MS = 1_000;
/** Speech is far below full scale, so the level that is shown amplifies it by this factor. */
const LEVEL_GAIN = 4;

/** Reads the own microphone, also after a change of device. Measures only while it is read [TALK91]. */
export const createOwnLevel = (desk: Pick<SoundDesk, 'meter'>, microphone: Pick<Microphone, 'track'>, clock: Clock) => {
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
      meter = track === null ? null : desk.meter(track);
    }
    cancel();
    cancel = clock.after(UNREAD_MS, close);
    return meter?.read() ?? null;
  };

  return {
    /** As it is shown, 0..1. */
    level: (): number => Math.min((read()?.rms ?? 0) * LEVEL_GAIN, 1),
    read,
    close,
  };
};

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
): Pick<SoundDesk, 'meter'> & { prepare(): void } => {
  let context: AudioContext | null = null;
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

/** A talk in which the microphone delivered nothing at all for this long after the grant is soundless [TALK122]. */
export const SOUNDLESS_AFTER_MS = 2_000;
/**
 * What is quieter is no sound: root mean square, of full scale. Measured behind echo cancelling, noise suppression and gain control,
 * in Chromium 156 and Firefox ESR 153: the quietest of the signals tried (one sample in a thousand differs by one step of 16 bits)
 * leaves 1.2e-7 and 2.4e-7, a room at -96 dB 3e-6 and 8e-6, and a dead microphone 0. After real sound the filters fade out below
 * this in half a second, but reach 0 only after 3 s. The statistics of a sender are too coarse for it: a quiet room has level 0 there.
 */
export const SOUND_FLOOR = 1e-8;
const LOOK_EVERY_MS = 250;
/** Of the time looked at, so much must have been measured: a context may run and stand still all the same. */
const MEASURED_SHARE = 0.5;

export interface SoundCheckDeps {
  clock: Clock;
  /** The own microphone, now; null: unknown. */
  read(): MeterReading | null;
  onChange(isSoundless: boolean): void;
}

/** Finds out whether a talk is silence, until its first sound. */
export const createSoundCheck = ({ clock, read, onChange }: SoundCheckDeps) => {
  /** `since` of the talk that was looked at last. */
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
    /** Call at each change. A talk that is continued within its tail goes on being the same. */
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
