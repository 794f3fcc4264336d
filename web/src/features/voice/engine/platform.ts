/** The browser APIs that the engine needs. `browser-deps.ts` implements them; tests use fakes. */
export interface Platform {
  clock: Clock;
  /** A random id, unique among the connections of a room. */
  randomId(): string;
  createPeerConnection(configuration: RTCConfiguration): RTCPeerConnection;
  /**
   * Makes the function that checks the server's signatures by its public key. Null where the browser can't, as on pages
   * without https.
   */
  checkBy: ((publicKey: string) => CheckSignature) | null;
  microphone: MicrophoneAccess;
  /** Does not start playback; call `play` of the sink. */
  createSink(track: MediaStreamTrack): SoundSink;
  /** One for the whole page: its rooms, calls and rings share it. */
  readonly sound: WebAudio;
  /** Sinks and tones play on this loudspeaker. */
  loudspeaker: Loudspeaker;
  /** False where the page can't set volumes, as on iOS: it can still mute a voice. */
  canSetVolume(): boolean;
}

/** ECDSA P-256 with SHA-256: whether `signature` (IEEE P1363, base64url) is of `text` (UTF-8). Never rejects. */
export type CheckSignature = (text: string, signature: string) => Promise<boolean>;

export interface Clock {
  /** ms, monotonic, of the same origin as performance.now(). */
  now(): number;
  /** ms since 1970: for data that outlives the page. The clock may be set, even back. */
  wall(): number;
  /** Runs once after `ms`, or up to TIMER_EARLY_MS before. Returns the function that cancels it. */
  after(ms: number, run: () => void): Stop;
}

/** Browsers run timers a fraction of a millisecond early by the clock of performance.now(). */
export const TIMER_EARLY_MS = 5;

/** Undoes the call that returned it. Idempotent. */
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
  /**
   * Calls `handler` at each change of the permission, not with the current one. Never calls it where browsers don't
   * support this.
   */
  onPermissionChanged(handler: (state: 'granted' | 'denied' | 'prompt') => void): Stop;
}

export interface MicrophoneAccess extends DeviceAccess {
  /** Whether the page is visible. */
  isShown(): boolean;
  /** Calls `handler` each time the page becomes visible. */
  onShown(handler: () => void): Stop;
}

/** Access to the output devices. */
export interface OutputAccess {
  /** Whether the browser can play on a device other than the default one. */
  readonly canChoose: boolean;
  /** Lists the devices without the default one. Empty where the browser tells none, or not yet. */
  list(): Promise<readonly { deviceId: string; label: string }[]>;
  onDevicesChanged(handler: () => void): Stop;
  /**
   * Asks the user for a device; needs a user gesture. Resolves with null if none was chosen. Null where the browser
   * can't ask.
   */
  readonly ask: (() => Promise<string | null>) | null;
}

/** Immutable; keeps its identity while nothing changes. */
export interface LoudspeakerState {
  /** The chosen device; '' is the browser's default. */
  chosenId: string;
  /** Devices besides the default one; empty where the browser doesn't tell. */
  choices: readonly { deviceId: string; label: string }[];
  /** Whether the chosen device is missing or can't be used: meanwhile sound comes from the default one. */
  isGone: boolean;
}

/** The output device of voices, tones and rings. A page has one, whatever rooms and calls it opens [TALK124]. */
export interface Loudspeaker {
  getSnapshot(): LoudspeakerState;
  subscribe(listener: () => void): Stop;
  /** False where the browser can only play on its default device. */
  readonly canChoose: boolean;
  choose(deviceId: string): void;
  /** Lets the browser ask for a device; needs a user gesture. Null where the browser can't ask. */
  readonly ask: (() => Promise<void>) | null;
  /** The device to play on now. */
  sinkId(): string;
  /** Call when the browser can't play on this device. */
  refuse(sinkId: string): void;
  /** Looks for new devices, as after the microphone was allowed. */
  look(): void;
}

/** Access to the cameras. Not part of the platform: only the video view gets it [VID2]. */
export interface CameraAccess extends DeviceAccess {
  /**
   * Asks which screen or window to share. Rejects with NotAllowedError if the user chooses none. Null where the browser
   * can't.
   */
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
 * Tones and meters, on AudioContexts that sleep while nothing needs them [TALK91]. Sinks play voices, because echo
 * cancelling covers no other output.
 */
export interface WebAudio {
  /** Whether the browser holds the sound back until a user gesture. A sleeping context is not blocked. */
  isBlocked(): boolean;
  /**
   * Opens the output, and then makes all contexts. Without it the first use makes them, which stops the page for 20 to
   * 600 ms (Chromium 156, until its audio process runs). Tones and meters wait until the output is open. Afterwards it
   * is known whether the browser holds sound back.
   */
  prepare(): void;
  /** Call when a tone is likely to follow: waking takes a moment. */
  wake(): void;
  /** Where autoplay is restricted, this works only within a user gesture. */
  resume(): Promise<void>;
  onStateChanged(handler: () => void): Stop;
  /** Plays notes in sequence; does nothing while the sound is blocked. */
  play(notes: readonly Note[]): void;
  /** Measures a local track without playing it. */
  meter(track: MediaStreamTrack): Meter;
}

export interface Meter {
  /**
   * Null while the browser measures nothing: before a gesture, while the system has taken the sound, or where it can't.
   */
  read(): MeterReading | null;
  close(): void;
}

/**
 * `rms`: share of full scale, 0..1. `at`: seconds of sound measured so far; while it stands still, nothing is measured.
 */
export interface MeterReading {
  rms: number;
  at: number;
}

export interface Note {
  hertz: number;
  ms: number;
  /** Share of full scale, 0..1. */
  gain: number;
}
