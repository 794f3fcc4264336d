import { type MicrophoneFailure, toMicrophoneFailure } from './media-failure.ts';
import { createNotifier } from './notifier.ts';
import type { Platform, Stop } from './platform.ts';
import type { MicrophoneChoice, MicrophoneState } from './types.ts';

/** The browser did not answer within this: the room goes on without, a late yes is still taken up. */
export const MICROPHONE_TIMEOUT_MS = 12_000;

/** The one microphone of a stay: opened on entering, kept warm, open to the air only while `setOpen(true)`. */
export interface Microphone {
  state(): MicrophoneState;
  choices(): readonly MicrophoneChoice[];
  /** What senders send; null while there is none. */
  track(): MediaStreamTrack | null;
  /** The gate: immediate, local, cannot fail. Holds for a microphone that comes or is chosen later as well. */
  setOpen(open: boolean): void;
  /** Asks for the microphone (again). Never rejects: the outcome is the state. */
  start(): Promise<void>;
  /** Changes the device. If the new one can't be opened, one that works is kept. */
  select(deviceId: string): Promise<void>;
  /** Tells of changes of state, choices and track. */
  subscribe(listener: () => void): Stop;
  close(): void;
}

export const createMicrophone = (platform: Pick<Platform, 'clock' | 'microphone'>): Microphone => {
  const { clock, microphone: door } = platform;
  const notifier = createNotifier();
  let state: MicrophoneState = { state: 'starting' };
  let choices: readonly MicrophoneChoice[] = [];
  let track: MediaStreamTrack | null = null;
  let isOpen = false;
  let isClosed = false;
  let isPending = false;
  /** Counts requests: the newest wins, what an older one brings is let go. */
  let newest = 0;

  const becomeUnavailable = (reason: MicrophoneFailure) => {
    drop();
    state = { state: 'unavailable', reason };
    notifier.notify();
  };

  const drop = () => {
    if (track === null) return;
    track.removeEventListener('ended', onEnded);
    track.enabled = false;
    track.stop();
    track = null;
  };

  /** Unplugged, or taken away by the system or the user. The default device may do instead. */
  const onEnded = () => {
    // While another one is being opened some systems end the first by themselves; `request` looks at it afterwards.
    if (isPending) return;
    becomeUnavailable('unplugged');
    void request(undefined, 'unplugged');
  };

  const takeUp = (fresh: MediaStreamTrack) => {
    fresh.enabled = isOpen;
    const previous = track;
    track = fresh;
    fresh.addEventListener('ended', onEnded);
    state = { state: 'ready', deviceId: fresh.getSettings().deviceId ?? '', label: fresh.label };
    notifier.notify();
    if (previous !== null) {
      previous.removeEventListener('ended', onEnded);
      previous.enabled = false;
      previous.stop();
    }
    void refreshChoices();
  };

  const giveUp = (reason: MicrophoneFailure) => {
    if (track !== null && track.readyState === 'live') return;
    becomeUnavailable(reason);
  };

  /** `fallback` says what to report when nothing else is found either. */
  const request = async (deviceId: string | undefined, fallback?: MicrophoneFailure) => {
    newest += 1;
    const mine = newest;
    if (!door.isSecure) {
      becomeUnavailable('insecure');
      return;
    }
    isPending = true;
    const cancel = clock.after(MICROPHONE_TIMEOUT_MS, () => {
      if (mine !== newest || isClosed) return;
      isPending = false;
      // Most likely a prompt that nobody answers.
      giveUp(fallback ?? 'refused');
    });
    try {
      const fresh = await door.open(constraintsFor(deviceId));
      if (mine !== newest || isClosed) {
        fresh.stop();
        return;
      }
      isPending = false;
      takeUp(fresh);
    } catch (error) {
      if (mine !== newest || isClosed) return;
      isPending = false;
      const reason = toMicrophoneFailure(error, door.isSecure);
      const hasNone = track === null || track.readyState !== 'live';
      if (hasNone && deviceId !== undefined && reason !== 'refused') {
        // The chosen one is gone and so is the one before: any other is better than none.
        if (track !== null) becomeUnavailable(reason);
        void request(undefined, reason);
        return;
      }
      giveUp(reason === 'missing' && fallback !== undefined ? fallback : reason);
    } finally {
      cancel();
    }
  };

  const refreshChoices = async () => {
    try {
      const found = await door.list();
      if (isClosed) return;
      choices = found.map(({ deviceId, label }) => ({ deviceId, label }));
      notifier.notify();
    } catch {
      // Listing is a convenience; without it the one that is open stays usable.
    }
  };

  const stops: Stop[] = [
    door.onDevicesChanged(() => {
      void refreshChoices();
      const mayHaveCome = state.state === 'unavailable' && (state.reason === 'missing' || state.reason === 'unplugged');
      if (mayHaveCome && !isPending) void request(undefined, 'unplugged');
    }),
    door.onPermissionChanged((permission) => {
      if (permission === 'granted' && state.state === 'unavailable' && !isPending) void request(undefined);
      if (permission === 'denied') {
        newest += 1;
        isPending = false;
        becomeUnavailable('refused');
      }
    }),
  ];

  return {
    state: () => state,
    choices: () => choices,
    track: () => track,
    setOpen(open) {
      isOpen = open && !isClosed;
      if (track !== null) track.enabled = isOpen;
    },
    async start() {
      if (isClosed) return;
      if (track === null) {
        state = { state: 'starting' };
        notifier.notify();
      }
      await request(undefined);
    },
    async select(deviceId) {
      if (!isClosed) await request(deviceId);
    },
    subscribe: notifier.subscribe,
    close() {
      if (isClosed) return;
      isClosed = true;
      for (const stop of stops) stop();
      drop();
    },
  };
};

const constraintsFor = (deviceId: string | undefined): MediaTrackConstraints => ({
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
  channelCount: 1,
  ...(deviceId === undefined ? {} : { deviceId: { exact: deviceId } }),
});
