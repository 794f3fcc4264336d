import type { Loudspeaker } from './playback.ts';

/** The browser APIs that the engine needs. `browser-deps.ts` implements them; tests use fakes. */
export interface Platform {
  clock: Clock;
  /** A random id, unique among the connections of a room. */
  randomId(): string;
  createPeerConnection(configuration: RTCConfiguration): RTCPeerConnection;
  /** Makes what checks the server's signatures by its public key. Null: the browser can't, as on pages without https. */
  checkBy: ((publicKey: string) => CheckSignature) | null;
  microphone: MicrophoneAccess;
  /** Does not start playback; call `play` of the sink. */
  createSink(track: MediaStreamTrack): SoundSink;
  /** One for the page, whatever rooms, calls and rings use it. */
  readonly sound: SoundDesk;
  /** Sinks and desks play on it. */
  loudspeaker: Loudspeaker;
  /** False where the page can't set how loud something is played, as on iOS: it can be silenced all the same. */
  canSetVolume(): boolean;
}

/** ECDSA P-256 with SHA-256: whether `signature` (IEEE P1363, base64url) is of `text` (UTF-8). Never rejects. */
export type CheckSignature = (text: string, signature: string) => Promise<boolean>;

export interface Clock {
  /** ms, monotonic, of the same origin as performance.now(). */
  now(): number;
  /** ms since 1970: for what outlives the page. It may be set, also back. */
  wall(): number;
  /** Runs once after `ms`, or up to TIMER_EARLY_MS before. Returns the function that cancels it. */
  after(ms: number, run: () => void): Stop;
}

/** Browsers run timers a fraction of a millisecond early by the clock of performance.now(). */
export const TIMER_EARLY_MS = 5;

/** Undoes what returned it. Idempotent. */
export type Stop = () => void;

/** Access to the devices of one kind. */
interface DeviceAccess {
  /** False when the page is neither https nor localhost: browsers then offer no device. */
  readonly isSecure: boolean;
  /** getUserMedia: pending while the permission prompt is open. Rejects with a DOMException. */
  open(constraints: MediaTrackConstraints): Promise<MediaStreamTrack>;
  /** Labels are empty until permission is granted. */
  list(): Promise<readonly { deviceId: string; label: string }[]>;
  onDevicesChanged(handler: () => void): Stop;
  /** Calls at each change of the permission, not with the current one. Never called where browsers don't support it. */
  onPermissionChanged(handler: (state: 'granted' | 'denied' | 'prompt') => void): Stop;
}

export interface MicrophoneAccess extends DeviceAccess {
  /** Whether the page is in view. */
  isShown(): boolean;
  /** Calls each time the page comes into view. */
  onShown(handler: () => void): Stop;
}

/** Access to the devices that play. */
export interface OutputAccess {
  /** Whether anything can be played on another device than the default one. */
  readonly canChoose: boolean;
  /** Without the default one. Empty where the browser tells none, or not yet. */
  list(): Promise<readonly { deviceId: string; label: string }[]>;
  onDevicesChanged(handler: () => void): Stop;
  /** Asks the user which one, within a gesture. Resolves with null when none was chosen. Null: the browser can't ask. */
  readonly ask: (() => Promise<string | null>) | null;
}

/** Access to the cameras. Not part of the platform: only the video view gets it [VID2]. */
export interface CameraAccess extends DeviceAccess {
  /** Asks which screen or window to share. Rejects with NotAllowedError when none is. Null: the browser can't. */
  openScreen: (() => Promise<MediaStreamTrack>) | null;
}

/** Plays one remote track. */
export interface SoundSink {
  /** Rejects with NotAllowedError when the browser requires a user gesture first. */
  play(): Promise<void>;
  /** 0 (silent) to 1. */
  setVolume(volume: number): void;
  close(): void;
}

/**
 * Tones and meters, by AudioContexts that are asleep while nothing needs them [TALK91]. Voices are played by sinks, the only
 * output that echo cancelling covers.
 */
export interface SoundDesk {
  /** The browser holds it back until a user gesture. Sleeping isn't that. */
  isBlocked(): boolean;
  /**
   * Makes all contexts, which stops the page for 20 to 600 ms (Chromium 156, until its audio process runs): call it when nobody can
   * talk yet. A browser that holds sound back is known of afterwards.
   */
  prepare(): void;
  /** A tone is likely to follow: waking takes a moment. */
  wake(): void;
  /** Where autoplay is restricted, works only within a user gesture. */
  resume(): Promise<void>;
  onStateChanged(handler: () => void): Stop;
  /** Plays notes in sequence; does nothing while it is blocked. */
  play(notes: readonly Note[]): void;
  /** Measures a local track without playing it. */
  meter(track: MediaStreamTrack): Meter;
}

export interface Meter {
  /** Null while the browser measures nothing: before a gesture, while the system has the sound, or where it can't. */
  read(): MeterReading | null;
  close(): void;
}

/** `rms`: of full scale, 0..1. `at`: seconds of sound that were measured so far; a clock that stands still measures nothing. */
export interface MeterReading {
  rms: number;
  at: number;
}

export interface Note {
  hertz: number;
  ms: number;
  /** 0..1 of full scale. */
  gain: number;
}
