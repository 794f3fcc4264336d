import type { Note, SoundDesk } from './platform.ts';
import type { TalkSound } from './types.ts';

/** As on a radio: rising = granted, two low notes = denied, three falling = unheard. Short and soft, so that the microphone picks up little. */
const TONES: Record<TalkSound, readonly Note[]> = {
  granted: [
    { hertz: 660, ms: 35, gain: 0.06 },
    { hertz: 990, ms: 45, gain: 0.06 },
  ],
  denied: [
    { hertz: 220, ms: 110, gain: 0.09 },
    { hertz: 196, ms: 140, gain: 0.09 },
  ],
  unheard: [
    { hertz: 392, ms: 90, gain: 0.09 },
    { hertz: 294, ms: 90, gain: 0.09 },
    { hertz: 196, ms: 200, gain: 0.09 },
  ],
  ended: [{ hertz: 440, ms: 60, gain: 0.05 }],
  queued: [
    { hertz: 520, ms: 45, gain: 0.06 },
    { hertz: 520, ms: 45, gain: 0.06 },
  ],
  warning: [{ hertz: 880, ms: 70, gain: 0.06 }],
};

export interface Tones {
  play(sound: TalkSound): void;
  setEnabled(enabled: boolean): void;
}

export const createTones = (desk: Pick<SoundDesk, 'play'>, enabledAtFirst: boolean): Tones => {
  let isEnabled = enabledAtFirst;
  return {
    play(sound) {
      if (isEnabled) desk.play(TONES[sound]);
    },
    setEnabled(enabled) {
      isEnabled = enabled;
    },
  };
};
