import type { Clock, Note, SoundDesk } from './platform.ts';
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

/** What several rooms answer within this time of each other sounds once [TALK145]. */
const TOGETHER_MS = 80;

export interface Tones {
  /** `from`: the room that it is about. */
  play(sound: TalkSound, from: object): void;
  setEnabled(enabled: boolean): void;
}

export const createTones = (
  desk: Pick<SoundDesk, 'play'>,
  clock: Pick<Clock, 'now'>,
  enabledAtFirst: boolean,
): Tones => {
  let isEnabled = enabledAtFirst;
  let last: { sound: TalkSound; from: object; at: number } | null = null;
  return {
    play(sound, from) {
      const at = clock.now();
      const isSaid = last?.sound === sound && last.from !== from && at - last.at < TOGETHER_MS;
      if (isSaid) return;
      last = { sound, from, at };
      if (isEnabled) desk.play(TONES[sound]);
    },
    setEnabled(enabled) {
      isEnabled = enabled;
    },
  };
};
