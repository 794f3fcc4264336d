import { createListeners } from '#src/shared/listeners.ts';
import { createTrackMeters, type MeterContext } from './levels.ts';
import type { Clock, Meter, Note, Stop, WebAudio } from './platform.ts';
import type { TalkSound } from './types.ts';

/** Attack and release of each note, to avoid clicks. */
const RAMP_S = 0.006;

const RESUME_PATIENCE_MS = 1_000;
/** The context sleeps after this time without use: a running one costs even in silence [TALK91]. */
export const SLEEP_AFTER_MS = 3_000;
/** A context that doesn't run this long after it was woken is blocked. */
export const WAKE_PATIENCE_MS = 500;
/** A tone that would come later than this after its cause is left out. */
const TONE_LATE_MS = 300;
/**
 * SoundDesk over real AudioContexts: makes them when they are needed, and suspends them while nothing needs them. It
 * lasts as long as the page: asleep it costs nothing. `openOutput` opens the output without stopping the page.
 */
export const createWebAudio = (
  createContext: (use: 'tones' | MeterContext) => AudioContext,
  clock: Clock,
  openOutput: () => Promise<void> = async () => undefined,
): WebAudio => {
  /** The output is opened once, before the first contexts. Meanwhile none is made, which would stop the page. */
  let opening: Promise<void> | null = null;
  let isOpening = false;
  let made: AudioContext | null = null;
  /**
   * The browser could not make a context, for lack of an audio device or of memory: there are no tones then, and
   * everything else goes on.
   */
  let isBroken = false;
  const listeners = createListeners();
  /**
   * Whether the context is not made yet, suspended by us, or not running again yet: in none of these cases the browser
   * blocks it.
   */
  let isAsleep = true;
  let isWaking = false;
  let late: { notes: readonly Note[]; at: number }[] = [];
  let cancelSleep: Stop = () => undefined;
  let cancelWake: Stop = () => undefined;
  const meters = createTrackMeters(createContext);

  const take = (): AudioContext | null => {
    if (made !== null || isBroken) return made;
    try {
      made = createContext('tones');
      made.addEventListener('statechange', onStateChange);
    } catch (error) {
      isBroken = true;
      reportError(error);
    }
    return made;
  };

  const sleepLater = () => {
    cancelSleep();
    cancelSleep = clock.after(SLEEP_AFTER_MS, () => {
      if (isAsleep || made?.state !== 'running') return;
      isAsleep = true;
      // Rejects only when the page goes.
      made.suspend().catch(() => undefined);
    });
  };

  const awake = () => {
    isAsleep = false;
    isWaking = false;
    cancelWake();
    const waiting = late;
    late = [];
    if (made?.state === 'running') {
      for (const { notes, at } of waiting) if (clock.now() - at <= TONE_LATE_MS) sound(made, notes);
      sleepLater();
    }
    listeners.notify();
  };

  const wake = () => {
    sleepLater();
    if (!isAsleep || isWaking || isOpening) return;
    const context = take();
    if (context === null) return;
    isWaking = true;
    cancelWake = clock.after(WAKE_PATIENCE_MS, awake);
    context.resume().then(awake, () => undefined);
  };

  /** Measures nothing before the output is open. */
  const meterAfter = (open: Promise<void>, track: MediaStreamTrack): Meter => {
    let meter: Meter | null = null;
    let isClosed = false;
    void open.then(() => {
      if (!isClosed) meter = meters.meter(track);
    });
    return {
      read: () => meter?.read() ?? null,
      close() {
        isClosed = true;
        meter?.close();
      },
    };
  };

  const onStateChange = () => {
    if (isAsleep) {
      // Our own call changed the state, and `wake` handles its end; or the system gave the sound back.
      if (!isWaking && made?.state === 'running') awake();
      return;
    }
    if (made?.state === 'running') sleepLater();
    // The system took the sound away, for a telephone call on iOS, or Chromium moves it to another device. It comes
    // back by itself or not at all. The next use wakes the context, and only then is it known whether a touch is
    // needed.
    else isAsleep = true;
    listeners.notify();
  };

  return {
    isBlocked: () => !isAsleep && made?.state !== 'running',
    prepare() {
      // A device or memory may have become available since.
      isBroken = false;
      isOpening ||= opening === null;
      opening ??= openOutput()
        .catch(reportError)
        .finally(() => {
          isOpening = false;
        });
      void opening.then(() => {
        wake();
        meters.prepare();
      });
    },
    wake,
    async resume() {
      if (made === null) wake();
      // A sleeping context was allowed before.
      else if (isAsleep && !isWaking) return;
      if (made === null || made.state === 'running') return;
      // Without a user gesture browsers leave resume() pending indefinitely.
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, RESUME_PATIENCE_MS));
      await Promise.race([made.resume().catch(() => undefined), timeout]);
    },
    onStateChanged: listeners.add,
    play(notes) {
      wake();
      if (isBroken) return;
      if (isAsleep) late.push({ notes, at: clock.now() });
      // A context that the browser holds back queues notes and would play all of them when it is resumed.
      else if (made?.state === 'running') sound(made, notes);
    },
    meter: (track) => (opening !== null && isOpening ? meterAfter(opening, track) : meters.meter(track)),
  };
};

/** Plays notes in sequence, starting now. Reports a failure without ending a press or a call. */
const sound = (context: AudioContext, notes: readonly Note[]) => {
  try {
    schedule(context, notes);
  } catch (error) {
    reportError(error);
  }
};

const schedule = (context: AudioContext, notes: readonly Note[]) => {
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
};

/**
 * As on a radio: rising for granted, two low notes for denied, three falling for unheard. Short and soft, so that the
 * microphone picks up little.
 */
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

/** Several rooms that answer within this time of each other sound one tone [TALK145]. */
const TOGETHER_MS = 80;

export interface Tones {
  /** `from`: the room that the tone is about. */
  play(sound: TalkSound, from: object): void;
  setEnabled(enabled: boolean): void;
}

export const createTones = (
  webAudio: Pick<WebAudio, 'play'>,
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
      if (isEnabled) webAudio.play(TONES[sound]);
    },
    setEnabled(enabled) {
      isEnabled = enabled;
    },
  };
};

/**
 * The sounds of a one-to-one call before it is taken and at its end; of a message, and of a message that names the
 * user.
 */
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

/** Plays rings and other signal tones. */
export interface Ringer {
  /** Plays this sound from now on, or once; null for silence. */
  sound(sound: RingSound | null): void;
  close(): void;
}

export function createRinger({ clock, sound: webAudio }: { clock: Clock; sound: WebAudio }): Ringer {
  let cancel: Stop = () => undefined;
  let isClosed = false;

  const play = (sound: RingSound) => {
    // Before the user touched the page, the browser holds sound back until somebody asks after a touch.
    if (webAudio.isBlocked()) void webAudio.resume();
    const { notes, everyMs } = SOUNDS[sound];
    webAudio.play(notes);
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
    },
  };
}
