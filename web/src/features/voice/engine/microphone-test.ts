import { createListeners } from '#src/shared/listeners.ts';
import { within } from '#src/shared/within.ts';
import { browserClock } from './browser-deps.ts';
import { createOwnLevel } from './levels.ts';
import type { Clock, Loudspeaker, Stop } from './platform.ts';
import { followLoudspeaker } from './playback.ts';
import type { MicrophoneProbe } from './room-types.ts';
import type { RoomSnapshot } from './types.ts';

/** How long a test records, unless it is stopped earlier. */
export const TEST_MS = 5_000;
/**
 * A test that was never louder than this is silent: root mean square, of full scale (-60 dB). A room without any voice
 * measured 3e-6 to 8e-6 behind the browser's filters (see SOUND_FLOOR); a voice is far above.
 */
export const SILENT_BELOW = 1e-3;
const LOOK_EVERY_MS = 125;
/** A recorder that returns nothing within this time after its end has failed. */
const RECORDED_WITHIN_MS = 2_000;

/** How the last test ended. `interrupted`: a talk began, the device changed or ended, or the page was hidden. */
export type TestResult = 'played' | 'silent' | 'failed' | 'interrupted';

/** Immutable. `off`: nothing is open, because the microphone isn't ready, the user talks, or the page is hidden. */
export interface MicrophoneTestState {
  readonly state: 'off' | 'listening' | 'recording' | 'playing';
  readonly result: TestResult | null;
}

/** Measures the own microphone, and lets its user hear it. Nothing of that is sent [TALK132]. */
export interface MicrophoneTest {
  getSnapshot(): MicrophoneTestState;
  subscribe(listener: () => void): Stop;
  /** The displayed level, 0..1. */
  level(): number;
  /** Starts recording. */
  start(): void;
  /** Ends the recording, which is played then, or ends the playback. */
  stop(): void;
  /** Closes everything. Final and idempotent. */
  close(): void;
}

/** The browser's part of a test. */
export interface TestDevices {
  clock: Clock;
  /** Records until `stop`, which resolves with the sound. Throws where the browser can't. */
  record(track: MediaStreamTrack): { stop(): Promise<Blob> };
  /** Plays on the chosen loudspeaker. Calls `onEnd` once, unless it was closed before. */
  play(sound: Blob, onEnd: (isPlayed: boolean) => void): { close(): void };
  isShown(): boolean;
  /** Calls `handler` whenever the page is shown or hidden. */
  onShownChanged(handler: () => void): Stop;
}

export interface MicrophoneTestDeps extends TestDevices {
  room: { getSnapshot(): Pick<RoomSnapshot, 'status' | 'microphone' | 'talk'>; subscribe(listener: () => void): Stop };
  probe: MicrophoneProbe;
}

/**
 * Measures a copy of the room's track: the room's own stays closed, and ends or goes on without the copy. A copy has
 * the filters of the original, and needs no other device and no other permission prompt.
 */
export const createMicrophoneTest = ({ room, probe, clock, ...devices }: MicrophoneTestDeps): MicrophoneTest => {
  const listeners = createListeners();
  let snapshot: MicrophoneTestState = { state: 'off', result: null };
  let source: MediaStreamTrack | null = null;
  let copy: MediaStreamTrack | null = null;
  let recording: { stop(): Promise<Blob> } | null = null;
  let playing: { close(): void } | null = null;
  /** The loudest reading of the recording; null while nothing could be measured. */
  let loudest: number | null = null;
  let cancelLook: Stop = () => undefined;
  let isClosed = false;
  const own = createOwnLevel(probe, { track: () => copy }, clock);

  const set = (state: MicrophoneTestState['state'], result: TestResult | null) => {
    if (state === snapshot.state && result === snapshot.result) return;
    snapshot = { state, result };
    listeners.notify();
  };

  /** Ends the running test without an outcome. */
  const drop = () => {
    cancelLook();
    const ended = recording;
    recording = null;
    // Its recording is no longer wanted.
    ended?.stop().catch(() => undefined);
    playing?.close();
    playing = null;
  };

  const hear = (track: MediaStreamTrack | null) => {
    const isInterrupted = recording !== null || playing !== null;
    drop();
    own.close();
    copy?.stop();
    source = track;
    copy = track?.clone() ?? null;
    if (copy !== null) copy.enabled = true;
    set(copy === null ? 'off' : 'listening', isInterrupted ? 'interrupted' : snapshot.result);
  };

  const follow = () => {
    const { status, microphone, talk } = room.getSnapshot();
    const isFree = microphone.state === 'ready' && (talk.state === 'idle' || talk.state === 'unheard');
    const mayHear = isFree && status.state !== 'closed' && devices.isShown() && !isClosed;
    const wanted = mayHear ? probe.track() : null;
    if (wanted !== source) hear(wanted);
  };

  const look = () => {
    const reading = own.read();
    if (reading !== null) loudest = Math.max(loudest ?? 0, reading.rms);
    cancelLook = clock.after(LOOK_EVERY_MS, look);
  };

  const play = (sound: Blob) => {
    playing = devices.play(sound, (isPlayed) => {
      playing = null;
      set('listening', isPlayed ? 'played' : 'failed');
    });
    set('playing', null);
  };

  const finish = async () => {
    const ended = recording;
    if (ended === null) return;
    cancelLook();
    let sound: Blob | null = null;
    try {
      sound = await within(RECORDED_WITHIN_MS, ended.stop(), clock.after);
    } catch {
      // The failure is handled below.
    }
    if (recording !== ended) return;
    recording = null;
    if (sound === null) set('listening', 'failed');
    else if (loudest !== null && loudest < SILENT_BELOW) set('listening', 'silent');
    else play(sound);
  };

  const stops = [room.subscribe(follow), devices.onShownChanged(follow)];
  follow();

  return {
    getSnapshot: () => snapshot,
    subscribe: listeners.add,
    level: own.level,
    start() {
      follow();
      if (copy === null || snapshot.state !== 'listening') return;
      try {
        recording = devices.record(copy);
      } catch {
        set('listening', 'failed');
        return;
      }
      loudest = null;
      set('recording', null);
      look();
      const mine = recording;
      clock.after(TEST_MS, () => {
        if (recording === mine) void finish();
      });
    },
    stop() {
      if (recording !== null) void finish();
      if (playing === null) return;
      playing.close();
      playing = null;
      set('listening', 'played');
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const stop of stops) stop();
      hear(null);
    },
  };
};

/** The devices of a microphone test in a real browser. A recording stays in the page's memory until it was played. */
export const browserTestDevices = (loudspeaker: Loudspeaker): TestDevices => ({
  clock: browserClock(),
  record(track) {
    const recorder = new MediaRecorder(new MediaStream([track]));
    const { promise, resolve, reject } = Promise.withResolvers<Blob>();
    const pieces: Blob[] = [];
    recorder.addEventListener('dataavailable', ({ data }) => pieces.push(data));
    recorder.addEventListener('stop', () => resolve(new Blob(pieces, { type: recorder.mimeType })));
    recorder.addEventListener('error', () => reject(new Error('the recorder failed')));
    // Nobody may ever ask for the result.
    promise.catch(() => undefined);
    recorder.start();
    return {
      stop() {
        if (recorder.state !== 'inactive') recorder.stop();
        return promise;
      },
    };
  },
  play(sound, onEnd) {
    const address = URL.createObjectURL(sound);
    const element = document.createElement('audio');
    const unfollow = followLoudspeaker(element, loudspeaker);
    let isOver = false;
    const close = () => {
      isOver = true;
      unfollow();
      element.pause();
      element.removeAttribute('src');
      URL.revokeObjectURL(address);
    };
    const end = (isPlayed: boolean) => {
      if (isOver) return;
      close();
      onEnd(isPlayed);
    };
    element.addEventListener('ended', () => end(true));
    element.addEventListener('error', () => end(false));
    element.src = address;
    element.play().catch(() => end(false));
    return { close };
  },
  isShown: () => document.visibilityState === 'visible',
  onShownChanged(handler) {
    document.addEventListener('visibilitychange', handler);
    return () => document.removeEventListener('visibilitychange', handler);
  },
});
