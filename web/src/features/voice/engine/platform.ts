/** What the engine needs of the machine it runs on. `browser-deps.ts` has the real one, tests bring their own. */
export interface Platform {
  clock: Clock;
  /** A short random name, unique enough among the connections of one room. */
  randomId(): string;
  createPeerConnection(configuration: RTCConfiguration): RTCPeerConnection;
  microphone: MicrophoneDoor;
  /** Starts nothing by itself: `play` of the sink does. */
  createSink(track: MediaStreamTrack): SoundSink;
  createDesk(): SoundDesk;
}

export interface Clock {
  /** ms, monotonic, of the same origin as performance.now(). */
  now(): number;
  /** Runs once after `ms`. Returns the way to call it off. */
  after(ms: number, run: () => void): Stop;
}

/** Ends what was begun. Calling it twice is harmless. */
export type Stop = () => void;

/** The way to the microphones of the machine. */
export interface MicrophoneDoor {
  /** False: the page is neither https nor localhost, so browsers offer no microphone at all. */
  readonly isSecure: boolean;
  /** Asks the browser; may wait for the user as long as a prompt is open. Rejects with a DOMException. */
  open(constraints: MediaTrackConstraints): Promise<MediaStreamTrack>;
  /** Labels are empty before the user's consent. */
  list(): Promise<readonly { deviceId: string; label: string }[]>;
  onDevicesChanged(handler: () => void): Stop;
  /** Calls at each change of the permission, never with the present one. Silent where browsers can't tell. */
  onPermissionChanged(handler: (state: 'granted' | 'denied' | 'prompt') => void): Stop;
}

/** Plays one remote track. */
export interface SoundSink {
  /** Rejects with NotAllowedError when the browser waits for a gesture of the user. */
  play(): Promise<void>;
  close(): void;
}

/** One AudioContext: for tones and meters only; voices are played by sinks (echo cancelling hears only those). */
export interface SoundDesk {
  isRunning(): boolean;
  /** Works only within a gesture where autoplay is restricted. */
  resume(): Promise<void>;
  onStateChanged(handler: () => void): Stop;
  /** Plays notes one after the other; nothing while the context is suspended. */
  play(notes: readonly Note[]): void;
  /** Measures a local track without playing it. */
  meter(track: MediaStreamTrack): { level(): number; close(): void };
  close(): void;
}

export interface Note {
  hertz: number;
  ms: number;
  /** Of full scale, 0..1. */
  gain: number;
}
