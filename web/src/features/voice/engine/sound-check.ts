import type { Clock, MeterReading, Stop } from './platform.ts';
import type { TalkState } from './types.ts';

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
