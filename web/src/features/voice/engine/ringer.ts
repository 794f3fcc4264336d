import type { Clock, Note, SoundDesk, Stop } from './platform.ts';

/** What a one-to-one call sounds like before it is taken, and when it ends; and a message, or one that names the user. */
export type RingSound = 'incoming' | 'outgoing' | 'over' | 'message' | 'mention';

const pair = (gain: number): Note[] => [
  { hertz: 587, ms: 180, gain },
  { hertz: 784, ms: 180, gain },
];

const SOUNDS: Record<RingSound, { notes: readonly Note[]; everyMs: number | null }> = {
  incoming: { notes: [...pair(0.12), ...pair(0.12)], everyMs: 3_000 },
  outgoing: { notes: [{ hertz: 425, ms: 900, gain: 0.05 }], everyMs: 4_000 },
  message: { notes: [{ hertz: 740, ms: 70, gain: 0.06 }], everyMs: null },
  mention: {
    notes: [
      { hertz: 740, ms: 70, gain: 0.08 },
      { hertz: 988, ms: 130, gain: 0.08 },
    ],
    everyMs: null,
  },
  over: { notes: [{ hertz: 330, ms: 140, gain: 0.07 }], everyMs: null },
};

/** Rings. Opens a sound desk with the first sound. */
export interface Ringer {
  /** Plays this from now on, or once; null: silence. */
  sound(sound: RingSound | null): void;
  close(): void;
}

export function createRinger({ clock, createDesk }: { clock: Clock; createDesk: () => SoundDesk }): Ringer {
  let desk: SoundDesk | null = null;
  let cancel: Stop = () => undefined;
  let isClosed = false;

  const play = (sound: RingSound) => {
    desk ??= createDesk();
    // Opened before the page was touched, it is held back until somebody asks after that.
    if (desk.isBlocked()) void desk.resume();
    const { notes, everyMs } = SOUNDS[sound];
    desk.play(notes);
    if (everyMs !== null) cancel = clock.after(everyMs, () => play(sound));
  };

  return {
    sound(sound) {
      cancel();
      if (sound !== null && !isClosed) play(sound);
    },
    close() {
      isClosed = true;
      cancel();
      desk?.close();
    },
  };
}
